"""Parts that ``import`` and ``new`` share: paths of spec files, and how they are written.

All or nothing: everything that can be refused is refused before the first file is written.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping
from pathlib import Path

from opmill_gen.author.index_writer import extended_index, new_index
from opmill_gen.base.diagnostics import Diagnostic, InputError, Location
from opmill_gen.onnx.facts import History
from opmill_gen.spec.cases import CASES
from opmill_gen.spec.operator_version import DomainIndex, read_document
from opmill_gen.yaml_reader.decode import Faults
from opmill_gen.yaml_reader.tree import parse_yaml


def spec_path(specs: Path, domain: str, operator: str, version: int) -> Path:
    """The location of a spec."""
    return specs / domain / operator / f"{version}.yaml"


def cases_path(specs: Path, domain: str, operator: str) -> Path:
    """The path of an operator's cases."""
    return specs / domain / operator / CASES


def with_schema_mark(specs: Path, path: Path, kind: str, text: str) -> str:
    """A text that begins with the line which tells editors its schema, where that file is there."""
    schema = f"{kind}.schema.json"
    if not (specs / schema).is_file():
        return text
    up = "../" * (len(path.relative_to(specs).parts) - 1)
    return f"# yaml-language-server: $schema={up}{schema}\n{text}"


def shown(specs: Path, path: Path) -> str:
    """A path as messages show it: from the folder of specs."""
    return (Path(specs.name) / path.relative_to(specs)).as_posix()


def refuse_existing(specs: Path, paths: Mapping[Path, str]) -> None:
    """Refuse to overwrite.

    Raises:
        InputError: some of the files exist already.
    """
    there = [path for path in paths if path.exists()]
    if there:
        raise InputError(
            Diagnostic(Location(shown(specs, path)), "is there already; --force writes it anew")
            for path in there
        )


def index_with(
    specs: Path,
    domain: str,
    added: Mapping[str, History],
    published: Mapping[str, History],
    release: str | None,
    opset: int,
) -> dict[Path, str]:
    """The index that a domain needs: path -> text; empty where the one it has will do.

    Args:
        specs: the folder of specs.
        domain: the domain.
        added: the versions that the index must list.
        published: what a new index lists.
        release: what the published versions are of, as ``onnx 1.23.2``.
        opset: the newest opset, for a new index.

    Raises:
        InputError: the existing index cannot be read or extended.
    """
    path = specs / domain / "index.yaml"
    if not path.exists():
        text = new_index(domain, release, opset, published)
        return {path: with_schema_mark(specs, path, "index", text)}
    text = path.read_text(encoding="utf-8")
    index = _read_index(shown(specs, path), text)
    extended = extended_index(text, index, added, release)
    if extended == text:
        return {}
    _check_extended(shown(specs, path), extended, added)
    return {path: extended}


def _read_index(shown_path: str, text: str) -> DomainIndex:
    faults = Faults()
    index = read_document(DomainIndex, parse_yaml(shown_path, text), faults)
    if not isinstance(index, DomainIndex) or faults or faults.gaps:
        raise InputError([*faults, *faults.gaps])
    return index


def _check_extended(shown_path: str, text: str, added: Mapping[str, History]) -> None:
    """The lines of an index are edited as text: be sure that the result says what it should."""
    try:
        index = _read_index(shown_path, text)
    except InputError:
        index = None
    for name, history in added.items():
        entry = index.operators.get(name) if index is not None else None
        if entry is None or not set(history.versions) <= set(entry.versions):
            raise InputError(
                [
                    Diagnostic(
                        Location(shown_path),
                        f"cannot be extended, since it does not give each operator a line; add "
                        f"'{name}: {{versions: {history.versions}}}' to it and run again",
                    )
                ]
            )


def save(files: Mapping[Path, str]) -> None:
    """Write the files, each by an atomic rename."""
    for path, text in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(prefix=".opmill-new-", dir=path.parent)
        try:
            with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as stream:
                stream.write(text)
            os.chmod(temporary, 0o644)
            os.replace(temporary, path)
        except BaseException:
            Path(temporary).unlink(missing_ok=True)
            raise
