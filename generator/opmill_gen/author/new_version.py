"""``opmill new``: the spec of a version of one's own, begun from nothing or as a copy.

A copy of an older version of the same operator is exact but for its number and its changes, which
become a gap: text that stays the same must stay the same byte for byte, and what differs is what
the author has to say. A copy of another operator loses what was said of that one alone.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import click

from opmill_gen.author.blank_spec import blank_cases, skeleton_text
from opmill_gen.author.copied_spec import copied_cases, renamed, renumbered
from opmill_gen.author.spec_files import (
    cases_path,
    index_with,
    refuse_existing,
    save,
    shown,
    spec_path,
    with_schema_mark,
)
from opmill_gen.base.diagnostics import InputError, suggestion
from opmill_gen.base.literals import yaml_text
from opmill_gen.base.names import MAIN_DOMAIN, domain_package, is_domain, is_onnx_name, snake_case
from opmill_gen.check.names import MAX_OPSET, RESERVED_MODULE
from opmill_gen.load.documents import read_text
from opmill_gen.load.load import beside
from opmill_gen.load.operator_files import FILES
from opmill_gen.onnx.facts import History
from opmill_gen.spec.cases import CASES, ERRATA
from opmill_gen.spec.operator_version import FACTS, OperatorVersion, read_document
from opmill_gen.yaml_reader.decode import Faults
from opmill_gen.yaml_reader.tree import Entries, parse_yaml

_ORIGIN = re.compile(r"(?:(?P<domain>[^/]+)/)?(?P<operator>[A-Za-z_]\w*)-(?P<version>[0-9]+)\Z")
_DECISIONS = (
    "facts: set as for most operators; change those that differ for this one",
    "inputs, outputs, attributes, type_constraints: in the form below each gap",
    f"{CASES}: examples and rejects, in the form below each gap",
    "family: an existing one, or a folder of your own with family.yaml, rules.py and kernel.py",
)
"""Decisions that a spec that begins from nothing needs."""


@dataclass(frozen=True)
class Begun:
    """The files that were written, as messages show them, and what the author has to decide."""

    paths: tuple[str, ...]
    gaps: int
    decisions: tuple[str, ...]


@dataclass(frozen=True)
class VersionName:
    """An operator version by its names."""

    domain: str
    operator: str
    version: int

    @property
    def label(self) -> str:
        return f"{self.operator}-{self.version}"

    def path(self, specs: Path) -> Path:
        return spec_path(specs, self.domain, self.operator, self.version)


def new_version(
    specs: Path,
    others: Sequence[Path],
    operator: str,
    version: int,
    origin: str | None,
    domain: str,
    *,
    force: bool,
) -> Begun:
    """Write the spec of a new version, and add it to the domain's index.

    Its cases are begun too where the operator has none; otherwise those that have not ended apply
    to it.

    Args:
        specs: the folder of specs to write in.
        others: further folders of specs, for what it begins from.
        operator: the operator.
        version: the new version.
        origin: what to begin with: ``13``, a version of the operator; ``Tile-13`` or
            ``com.example/Tile-13``, a version of any; ``None`` to begin from nothing.
        domain: the domain.
        force: whether to overwrite an existing spec.

    Raises:
        click.UsageError: a name cannot be, or there is no such operator or version to begin with.
        InputError: the old spec or the index is not in order, or the new one is there already.
    """
    new = VersionName(domain, operator, version)
    cases = cases_path(specs, domain, operator)
    cases_text = None
    number = None if origin is None else _number(specs, new, origin)
    if number is not None:
        old = _older(specs, new, number)
        spec, tree, text = read_spec(specs, old.path(specs))
        text = renumbered(text, tree, spec, version)
        decisions = tuple(_decisions_of_copy(spec, same=True))
        deprecated = spec.deprecated
    else:
        _check_own(specs, new)
        previous = max(
            (v for v in _numbers(specs / domain / operator) if v < version), default=None
        )
        deprecated = False
        if origin is None:
            text = skeleton_text(domain, operator, version, previous)
            cases_text = blank_cases()
            decisions = _DECISIONS
        else:
            folder, old = find_origin(specs, others, new, origin)
            spec, tree, text = read_spec(folder, old.path(folder))
            text = renamed(text, tree, spec, (domain, operator, version), previous)
            cases_text = cases_of_origin(folder, old)
            decisions = tuple(_decisions_of_copy(spec, same=False))
            deprecated = spec.deprecated
        text = with_schema_mark(specs, new.path(specs), "spec", text)
    files = {new.path(specs): text}
    if not force:
        refuse_existing(specs, files)
    if cases_text is not None and not cases.exists():
        files[cases] = with_schema_mark(specs, cases, "cases", cases_text)
    gaps = sum(_gaps_in(specs, path, text) for path, text in files.items())
    is_new = not (specs / domain).is_dir()
    index = _index(specs, new, deprecated)
    save(files | index)
    paths = tuple(shown(specs, path) for path in (*files, *index))
    new_domain = (f"domain: {domain}, a new domain",) if is_new else ()
    indexed = (f"index.yaml: lists {new.label} now",) if index else ()
    return Begun(paths, gaps, (*new_domain, *decisions, *indexed))


def _number(specs: Path, new: VersionName, origin: str) -> int | None:
    """The version to begin with, where it is one of the new version's own operator."""
    if origin.isdecimal():
        return int(origin)
    match = _ORIGIN.match(origin)
    if match is None or match["operator"] != new.operator:
        return None
    own = match["domain"] == new.domain
    own |= match["domain"] is None and (specs / new.domain / new.operator).is_dir()
    return int(match["version"]) if own else None


def _older(specs: Path, new: VersionName, number: int) -> VersionName:
    """An older version of the same operator, which must be there."""
    there = _versions(specs, new.operator, new.domain)
    if number not in there:
        known = ", ".join(map(str, there))
        raise click.UsageError(f"there is no spec of {new.operator}-{number}; there are {known}")
    if not number < new.version <= MAX_OPSET:
        raise click.UsageError(
            f"{new.version} cannot follow {number}: versions ascend, up to {MAX_OPSET} at most"
        )
    return VersionName(new.domain, new.operator, number)


def _versions(specs: Path, operator: str, domain: str) -> list[int]:
    """The versions of an operator that there are specs of."""
    instead = "; leave --from out to begin from nothing, or give it another operator's, as Name-1"
    if not is_domain(domain) or not (specs / domain).is_dir():
        raise click.UsageError(
            f"there is no domain '{domain}'{suggestion(domain, _folders(specs))}{instead}"
        )
    if not is_onnx_name(operator) or not (specs / domain / operator).is_dir():
        raise click.UsageError(
            f"there is no operator '{operator}' in {domain}"
            f"{suggestion(operator, _folders(specs / domain))}{instead}"
        )
    return _numbers(specs / domain / operator)


def _folders(folder: Path) -> list[str]:
    found = folder.iterdir() if folder.is_dir() else ()
    return sorted(path.name for path in found if path.is_dir())


def _numbers(folder: Path) -> list[int]:
    """The versions whose specs stand in an operator's folder."""
    return sorted(int(path.stem) for path in folder.glob("*.yaml") if path.stem.isdecimal())


def _check_own(specs: Path, new: VersionName) -> None:
    """Refuse what cannot be an operator of one's own, before anything is written."""
    if not is_domain(new.domain):
        raise click.UsageError(f"'{new.domain[:40]}' is no domain; write it as com.example.vision")
    if new.domain == MAIN_DOMAIN or new.domain.startswith(MAIN_DOMAIN + "."):
        raise click.UsageError(
            f"the operators of {new.domain} are ONNX's: 'opmill import {new.operator}' writes what "
            "ONNX says of one; one of your own needs a domain of yours, as --domain com.example; "
            "a further version of one that is here begins as a copy of it, --from VERSION"
        )
    if not is_onnx_name(new.operator):
        raise click.UsageError(
            f"'{new.operator[:40]}' cannot name an operator; use letters, digits and underscores"
        )
    if not 1 <= new.version <= MAX_OPSET:
        raise click.UsageError(f"versions count from 1 to {MAX_OPSET} at most, got {new.version}")
    package, module = domain_package(new.domain), snake_case(new.operator)
    for kind, word, name in (("domain", new.domain, package), ("operator", new.operator, module)):
        if RESERVED_MODULE.match(name):
            raise click.UsageError(
                f"the {kind} '{word}' would be called '{name}' in Python, which has a meaning in "
                "the generated package; choose another name"
            )
    for other in _folders(specs / new.domain):
        if other != new.operator and is_onnx_name(other) and snake_case(other) == module:
            raise click.UsageError(
                f"{new.operator} and {other}, which is there, would share the Python name "
                f"'{module}'; choose another name"
            )


def find_origin(
    specs: Path, others: Sequence[Path], new: VersionName, origin: str
) -> tuple[Path, VersionName]:
    """The spec that ``Tile-13`` or ``com.example/Tile-13`` means, and the folder it is in.

    Without a domain it is that of the new operator, else the only one that has such a version; the
    folder that is written in comes before the others.
    """
    match = _ORIGIN.match(origin)
    if match is None:
        raise click.UsageError(
            f"'{origin[:40]}' names no version to begin with; write 13 for a version of "
            f"{new.operator}, Name-13 or com.example/Name-13 for one of another"
        )
    asked, operator, number = match["domain"], match["operator"], int(match["version"])
    known: dict[str, None] = {}
    for folder in (specs, *others):
        domains = _folders(folder)
        named = [
            VersionName(domain, operator, number) for domain in domains if asked in (None, domain)
        ]
        found = [name for name in named if name.path(folder).is_file()]
        found = [name for name in found if name.domain == new.domain] or found
        if len(found) > 1:
            words = " or ".join(f"{name.domain}/{name.label}" for name in found)
            raise click.UsageError(f"'{origin}' is in several domains; write {words}")
        if found:
            return folder, found[0]
        for domain in domains:
            for name in _folders(folder / domain):
                numbers = _numbers(folder / domain / name)
                known |= dict.fromkeys(f"{domain}/{name}-{v}" for v in numbers)
    named_alike = [word for word in known if f"/{operator}-" in word]
    short = {word.split("/")[1] for word in known}
    listing = (
        f"; there are {', '.join(named_alike)}" if named_alike else _nearest(origin, known, short)
    )
    raise click.UsageError(f"there is no spec of {origin}{listing}")


def _nearest(word: str, *known: Iterator[str] | Mapping[str, None] | set[str]) -> str:
    """A word like the one given, if any: there are too many to list them all."""
    for words in known:
        text = suggestion(word, sorted(words))
        if text.startswith("; did"):
            return text
    return ""


def read_spec(specs: Path, path: Path) -> tuple[OperatorVersion, Entries, str]:
    faults = Faults()
    shown_path = shown(specs, path)
    text = read_text(path, shown_path, faults)
    if text is not None:
        tree = parse_yaml(shown_path, text)
        spec = read_document(OperatorVersion, tree, faults)
        if isinstance(spec, OperatorVersion) and isinstance(tree, Entries):
            files = beside(path.parent, lambda other: shown(specs, other), faults)
            if not faults:
                return dataclasses.replace(spec, **files.of_version(spec)), tree, text
    raise InputError([*faults, *faults.gaps])


def cases_of_origin(folder: Path, old: VersionName) -> str | None:
    """The cases of a version as those of another operator; ``None`` where it has none."""
    path = cases_path(folder, old.domain, old.operator)
    if not path.is_file():
        return None
    text = path.read_text(encoding="utf-8")
    tree = parse_yaml(shown(folder, path), text)
    return copied_cases(text, tree, old.version) if isinstance(tree, Entries) else None


def _gaps_in(specs: Path, path: Path, text: str) -> int:
    """Number of gaps in a text that is to be written; it has no faults."""
    faults = Faults()
    cls = FILES[path.name][0] if path.name in FILES else OperatorVersion
    read_document(cls, parse_yaml(shown(specs, path), text), faults)
    if faults:
        raise InputError(faults)
    return len(faults.gaps)


def _index(specs: Path, new: VersionName, deprecated: bool) -> dict[Path, str]:
    """The index with the new version: path -> text; empty where the existing one has it."""
    operators = {name: _numbers(specs / new.domain / name) for name in _folders(specs / new.domain)}
    published = {name: History(numbers, []) for name, numbers in operators.items() if numbers}
    numbers = sorted({*operators.get(new.operator, ()), new.version})
    history = History(numbers, [new.version] if deprecated else [])
    opset = max(max(h.versions) for h in (history, *published.values()))
    published[new.operator] = history
    return index_with(specs, new.domain, {new.operator: history}, published, None, opset)


def _decisions_of_copy(spec: OperatorVersion, *, same: bool) -> Iterator[str]:
    """Gap that a copy has for the new version, until somebody has looked at it."""
    if same:
        yield f"changes: what differs from {spec.label} in meaning; empty so far"
    yield "facts: " + ", ".join(f"{name} {yaml_text(spec.facts[name])}" for name in FACTS[1:])
    for title, parts in (
        ("inputs", [f"{p.name} ({p.type}, {p.option.value})" for p in spec.inputs]),
        ("outputs", [f"{p.name} ({p.type}, {p.option.value})" for p in spec.outputs]),
        ("attributes", [f"{a.name} ({a.kind.value})" for a in spec.attributes]),
        (
            "type_constraints",
            [f"{name} ({len(c.types)} types)" for name, c in spec.type_constraints.items()],
        ),
    ):
        yield f"{title}: {', '.join(parts) or 'none'}"
    if same:
        yield "summary and descriptions: the same text, unless the meaning differs"
    else:
        yield f"summary: what it computes; the descriptions are those of {spec.label}"
    yield f"family: whether {spec.family.name or 'it'} still computes this"
    yield "accuracy: " + (
        ", ".join(element.value for element in spec.accuracy.tolerances) or "exact"
    )
    cases = f"{len(spec.examples)} examples, {len(spec.rejects)} rejects"
    if same:
        yield (
            f"{CASES}: {cases} of {spec.label}; end those that no longer hold with before, and add "
            "one for each change with since"
        )
        yield f"{ERRATA}: {len(spec.errata)} of {spec.label}, which may be settled now"
    else:
        yield f"{CASES}: {cases} to keep or change"
    if same and spec.source is not None:
        yield f"source: checked against {spec.source.release}"
