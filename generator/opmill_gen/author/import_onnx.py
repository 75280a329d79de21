"""``opmill import``: spec files from the facts that the installed onnx or onnxruntime has.

What a person has to write is left as gaps, which ``generate`` refuses with their places.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import click

from opmill_gen.author.borrowed_prose import with_prose_of
from opmill_gen.author.new_version import VersionName, cases_of_origin, find_origin, read_spec
from opmill_gen.author.spec_files import (
    cases_path,
    index_with,
    refuse_existing,
    save,
    shown,
    spec_path,
    with_schema_mark,
)
from opmill_gen.author.spec_writer import cases_text, spec_text
from opmill_gen.base.diagnostics import InputError, suggestion
from opmill_gen.inspect.lookup import indexes_of, look_up
from opmill_gen.load.sources import Sources
from opmill_gen.onnx.facts import History, Schemas, all_schemas, histories, newest_opset
from opmill_gen.onnx.news import refusals
from opmill_gen.onnx.runtime_facts import PACKAGE, runtime_release, runtime_schemas
from opmill_gen.spec.cases import CASES
from opmill_gen.spec.operator_version import OperatorVersion

_MAX_LISTED = 10
"""Up to so many operators are listed where none is near the one that was asked for."""


@dataclass(frozen=True)
class Imported:
    """The files that were written, as messages show them, and the number of gaps in them."""

    paths: tuple[str, ...]
    gaps: int


def import_specs(
    specs: Path,
    operator: str,
    version: str | None,
    domain: str,
    *,
    force: bool,
    like: str | None = None,
    others: Sequence[Path] = (),
    package: str = "onnx",
) -> Imported:
    """Write the specs of an operator's versions, and the index where it lacks them.

    A file of cases with gaps is created where there is none; an existing one is left alone.

    Args:
        specs: the folder of specs.
        operator: ONNX's name of the operator.
        version: a version, ``all``, or ``None`` for the newest.
        domain: the domain, as spec files write it.
        force: whether to overwrite existing specs.
        like: a version of another operator, as ``Add-14``, to begin with its prose and its cases.
        others: further folders of specs, for that version.
        package: whose schemas the facts come from, ``onnx`` or ``onnxruntime``.

    Raises:
        click.UsageError: there is no such domain, operator or version; nothing was written.
        InputError: a spec is there already, or the index is not in order; nothing was written.
    """
    schemas, release = _publisher(package, operator)
    published = histories(schemas, domain)
    history = _history(schemas, published, operator, domain, package)
    chosen = _chosen(operator, history, version)
    borrowed = cases = None
    if like is not None:
        folder, name = find_origin(specs, others, VersionName(domain, operator, chosen[-1]), like)
        borrowed = read_spec(folder, name.path(folder))[0]
        cases = cases_of_origin(folder, name)
    files = _files(specs, schemas, release, domain, operator, chosen, borrowed=borrowed)
    if not force:
        refuse_existing(specs, files)
    files |= _cases(specs, domain, operator, cases)
    opset = newest_opset(domain, (h.versions[-1] for h in published.values()))
    index = index_with(specs, domain, {operator: history}, published, release, opset)
    save(files | index)
    return _imported(specs, files, index)


def import_new(specs: Path) -> Imported:
    """Begin every version that the installed onnx has and that has no spec.

    Operators that an index refuses are left out.

    Raises:
        InputError: an index or a spec cannot be read; nothing was written.
    """
    schemas, release = _publisher("onnx")
    given = Sources(specs, specs, ())
    indexes = indexes_of(given) if specs.is_dir() else {}
    versions = look_up(given) if specs.is_dir() else ()
    faulty = [fault for version in versions for fault in version.faults]
    if faulty:
        raise InputError(faulty)
    files: dict[Path, str] = {}
    written: dict[Path, str] = {}
    there = {(v.domain, v.operator, v.number) for v in versions}
    refused = refusals(indexes)
    for domain in sorted({domain for domain, _, _ in schemas}):
        published = histories(schemas, domain)
        added: dict[str, History] = {}
        for operator, history in published.items():
            chosen = [v for v in history.versions if (domain, operator, v) not in there]
            if chosen and operator not in refused.get(domain, {}):
                added[operator] = history
                files |= _files(specs, schemas, release, domain, operator, chosen)
                files |= _cases(specs, domain, operator)
        if added:
            opset = newest_opset(domain, (h.versions[-1] for h in published.values()))
            written |= index_with(specs, domain, added, published, release, opset)
    refuse_existing(specs, {p: t for p, t in files.items() if p.name != CASES})
    save(files | written)
    return _imported(specs, files, written)


def _files(
    specs: Path,
    schemas: Schemas,
    release: str,
    domain: str,
    operator: str,
    chosen: Sequence[int],
    *,
    borrowed: OperatorVersion | None = None,
) -> dict[Path, str]:
    """The specs of some versions of an operator: path -> text."""
    versions = [v for of, name, v in schemas if (of, name) == (domain, operator)]
    files: dict[Path, str] = {}
    for number in chosen:
        path = spec_path(specs, domain, operator, number)
        previous = max((v for v in versions if v < number), default=None)
        text = spec_text(schemas[domain, operator, number], domain, previous, release)
        if borrowed is not None:
            text = with_prose_of(text, borrowed)
        files[path] = with_schema_mark(specs, path, "spec", text)
    return files


def _cases(specs: Path, domain: str, operator: str, begun: str | None = None) -> dict[Path, str]:
    """The file of cases of an operator: path -> text; empty where there is one."""
    path = cases_path(specs, domain, operator)
    if path.exists():
        return {}
    return {path: with_schema_mark(specs, path, "cases", begun or cases_text())}


def _imported(specs: Path, files: Mapping[Path, str], index: Mapping[Path, str]) -> Imported:
    gaps = sum(len(re.findall(r"(?m): TODO ", text)) for text in files.values())
    return Imported(tuple(shown(specs, path) for path in (*files, *index)), gaps)


def _publisher(package: str, operator: str = "") -> tuple[Schemas, str]:
    """The schemas of a package, that of an operator among them, and its release."""
    if package == PACKAGE:
        return runtime_schemas(frozenset({operator})), f"{PACKAGE} {runtime_release()}"
    import onnx

    return all_schemas(), f"onnx {onnx.__version__}"


def _history(
    schemas: Schemas, published: Mapping[str, History], operator: str, domain: str, package: str
) -> History:
    if not published:
        domains = sorted({of_domain for of_domain, _, _ in schemas})
        raise click.UsageError(
            f"{package} has no domain '{domain}'{suggestion(domain, domains)}; 'opmill new' begins "
            "a spec of a domain of your own"
        )
    if operator in published:
        return published[operator]
    elsewhere = sorted({d for d, name, _ in schemas if name == operator})
    if elsewhere:
        raise click.UsageError(
            f"{package} has no operator '{operator}' in {domain}, but in {', '.join(elsewhere)}; "
            f"say --domain {elsewhere[0]}"
        )
    raise click.UsageError(
        f"{package} has no operator '{operator}' in {domain}{_nearest(operator, list(published))}"
    )


def _nearest(word: str, known: list[str]) -> str:
    """The nearest of many words, whatever their case; nothing where none is near."""
    by_case = {name.lower(): name for name in known}
    if word.lower() in by_case:
        return f"; did you mean '{by_case[word.lower()]}'?"
    text = suggestion(word, known)
    if text.startswith("; did") or len(known) <= _MAX_LISTED:
        return text
    return f"; it has {len(known)} others"


def _chosen(operator: str, history: History, version: str | None) -> list[int]:
    known = ", ".join(map(str, history.versions))
    if version is None:
        return [history.versions[-1]]
    if version == "all":
        return history.versions
    if not version.isdecimal():
        raise click.UsageError(
            f"'{version}' is no version of {operator}; give one of {known}, or all"
        )
    if int(version) not in history.versions:
        raise click.UsageError(
            f"{operator}-{version} was never published; the versions of {operator} are {known}"
        )
    return [int(version)]
