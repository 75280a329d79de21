"""Records of long runs: a file for each operator, with a section for each kind of run.

``tests/records/ai.onnx/Tile.json`` has what ``make records`` counted (``onnx_tests``), what ``make
fuzz`` compared (``fuzz``), and what the fuzzer of the C library executed (``c_fuzz``). Each writer
replaces its own section; several may run at once.
"""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from opmill_gen.base.plain_file import replace_plain

RECORDS = Path(__file__).resolve().parents[1] / "records"
SECTIONS = ("onnx_tests", "fuzz", "c_fuzz")

Section = dict[str, Any]


def sections_named(section: str) -> dict[tuple[str, str], Section]:
    """The section of each operator that has it, by domain and operator."""
    found = ((path, _read(path)) for path in sorted(RECORDS.glob("*/*.json")))
    return {
        (path.parent.name, path.stem): record[section]
        for path, record in found
        if section in record
    }


def write_section(
    domain: str, operator: str, section: str, content: Section, *, add: bool = False
) -> None:
    """Replace one section of an operator's file, and keep the others.

    Args:
        domain: the operator's domain.
        operator: its name.
        section: one of ``SECTIONS``.
        content: what to write. An empty section is removed, and a file without sections deleted.
        add: whether to keep the recorded versions that ``content`` lacks.
    """
    path = RECORDS / domain / f"{operator}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    with _locked(path.parent):
        record = _read(path) if path.exists() else {}
        if add:
            versions = {**record.get(section, {}).get("versions", {}), **content["versions"]}
            in_order = sorted(versions.items(), key=lambda entry: int(entry[0]))
            content = {**content, "versions": dict(in_order)}
        record[section] = content
        present = {name: record[name] for name in SECTIONS if record.get(name)}
        if present:
            replace_plain(path, f"{json_text(present, 3)}\n".encode())
        else:
            path.unlink(missing_ok=True)


def _read(path: Path) -> dict[str, Section]:
    """The sections of a file.

    Raises:
        ValueError: it is not a record.
    """
    try:
        record: dict[str, Section] = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise ValueError(f"{path}: not a record: {error}; restore it with git") from None
    return record


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Exclude other processes from changing the files of a folder."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def json_text(value: Any, levels: int, indent: str = "") -> str:
    """JSON with a line for each key of the outermost ``levels`` objects."""
    if not levels or not isinstance(value, dict) or not value:
        return json.dumps(value)
    items = (
        f"{indent} {json.dumps(key)}: {json_text(one, levels - 1, indent + ' ')}"
        for key, one in value.items()
    )
    return "{\n" + ",\n".join(items) + f"\n{indent}}}"
