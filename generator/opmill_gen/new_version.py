"""``opmill new``: the spec of a version of one's own, begun as a copy of an older one.

The copy is exact but for its number and its changes, which become a gap: text that stays the same
must stay the same byte for byte, and what differs is what the author has to say.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import click

from opmill_gen.check_names import MAX_OPSET
from opmill_gen.diagnostics import InputError, suggestion
from opmill_gen.literals import yaml_text
from opmill_gen.load import read_text
from opmill_gen.model import FACTS, OperatorVersion, read_document
from opmill_gen.names import is_domain, is_onnx_name
from opmill_gen.onnx_facts import History
from opmill_gen.reading import Faults
from opmill_gen.spec_files import index_with, refuse_existing, save, shown, spec_path
from opmill_gen.spec_text import changes_gap
from opmill_gen.tree import Entries, parse_yaml


@dataclass(frozen=True)
class Begun:
    """The files that were written, as messages show them, and what a reviewer has to decide."""

    paths: tuple[str, ...]
    decisions: tuple[str, ...]


def new_version(
    specs: Path, operator: str, version: int, old: int, domain: str, *, force: bool
) -> Begun:
    """Write the spec of a new version, and add it to the domain's index.

    Args:
        specs: the folder of specs.
        operator: the operator.
        version: the new version.
        old: the version to begin with.
        domain: the domain.
        force: whether to write over a spec that is there.

    Raises:
        click.UsageError: there is no such operator or version to begin with.
        InputError: the old spec or the index is not in order, or the new one is there already.
    """
    there = _versions(specs, operator, domain)
    if old not in there:
        known = ", ".join(map(str, there))
        raise click.UsageError(f"there is no spec of {operator}-{old}; there are {known}")
    if not old < version <= MAX_OPSET:
        raise click.UsageError(
            f"{version} cannot follow {old}: versions ascend, up to {MAX_OPSET} at most"
        )
    source = spec_path(specs, domain, operator, old)
    target = spec_path(specs, domain, operator, version)
    spec, tree, text = _read(specs, source)
    files = {target: _renumbered(text, tree, spec, version)}
    if not force:
        refuse_existing(specs, files)
    history = History(sorted({*there, version}), [version] if spec.deprecated else [])
    index = index_with(specs, domain, {operator: history}, {operator: history}, None, version)
    save(files | index)
    paths = tuple(shown(specs, path) for path in (*files, *index))
    return Begun(paths, tuple(_decisions(spec, version, bool(index))))


def _versions(specs: Path, operator: str, domain: str) -> list[int]:
    """The versions of an operator that there are specs of."""
    if not is_domain(domain) or not (specs / domain).is_dir():
        domains = sorted(path.name for path in specs.iterdir() if path.is_dir())
        raise click.UsageError(f"there is no domain '{domain}'{suggestion(domain, domains)}")
    if not is_onnx_name(operator) or not (specs / domain / operator).is_dir():
        operators = sorted(path.name for path in (specs / domain).iterdir() if path.is_dir())
        raise click.UsageError(
            f"there is no operator '{operator}' in {domain}{suggestion(operator, operators)}"
        )
    paths = (specs / domain / operator).glob("*.yaml")
    return sorted(int(path.stem) for path in paths if path.stem.isdecimal())


def _read(specs: Path, path: Path) -> tuple[OperatorVersion, Entries, str]:
    faults = Faults()
    place = shown(specs, path)
    text = read_text(path, place, faults)
    if text is not None:
        tree = parse_yaml(place, text)
        spec = read_document(OperatorVersion, tree, faults)
        if isinstance(spec, OperatorVersion) and isinstance(tree, Entries) and not faults:
            return spec, tree, text
    raise InputError([*faults, *faults.gaps])


def _renumbered(text: str, tree: Entries, spec: OperatorVersion, version: int) -> str:
    """The text with the new number, and a gap where the changes stood or belong."""
    lines = text.splitlines()
    starts = sorted(place.line - 1 for place in tree.keys.values())
    lines[tree.keys["since_version"].line - 1] = f"since_version: {version}"
    gap = [f"changes: {changes_gap(spec.label)}", ""]
    if "changes" in tree.keys:
        start = tree.keys["changes"].line - 1
        end = next((line for line in starts if line > start), len(lines))
        while end > start + 1 and lines[end - 1].startswith("#"):
            end -= 1  # a comment above the next key
        lines[start:end] = gap
    else:
        later = [tree.keys[name].line - 1 for name in ("errata", "source") if name in tree.keys]
        place = min(later, default=len(lines))
        lines[place:place] = gap if later else ["", *gap]
    return "\n".join(lines).rstrip("\n") + "\n"


def _decisions(spec: OperatorVersion, version: int, indexed: bool) -> Iterator[str]:
    """What the copy says of the new version, as long as nobody has looked at it."""
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
    yield "summary and descriptions: the same text, unless the meaning differs"
    yield f"family: whether {spec.family.name or 'it'} still computes this"
    yield "accuracy: " + (
        ", ".join(element.value for element in spec.accuracy.tolerances) or "exact"
    )
    yield f"examples: {len(spec.examples)} to keep or mend, and one for each change"
    yield f"rejects: {len(spec.rejects)} to keep or mend"
    yield f"errata: {len(spec.errata)} that may be settled now"
    if spec.source is not None:
        yield f"source: checked against onnx {spec.source.onnx}"
    if indexed:
        yield f"index.yaml: lists {spec.operator}-{version} now"
