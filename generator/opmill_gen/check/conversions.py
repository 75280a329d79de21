"""Conversions of operators against the versions that are published, and as data of the package."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

from opmill_gen.base.diagnostics import Location
from opmill_gen.base.names import MAIN_DOMAIN
from opmill_gen.check.result import CheckedVersion
from opmill_gen.load.load import Loaded
from opmill_gen.spec.conversions import CONVERSIONS, Alternative, ConversionsFile, Step
from opmill_gen.spec.operator_version import OperatorVersion, Option
from opmill_gen.yaml_reader.decode import Faults
from opmill_gen.yaml_reader.tree import plain

LEGACY = frozenset({"consumed_inputs", "output_sequence"})
"""Attributes that never had an effect; the package drops them."""

_ACTIONS = ("same", "nodes", "samples", "body", "impossible")


def check_conversions(
    loaded: Loaded, versions: Sequence[CheckedVersion], faults: Faults
) -> dict[str, dict[str, Any]]:
    """Check the conversions of all operators; return them as data.

    Args:
        loaded: what was read.
        versions: the versions that there are.
        faults: where faults are reported.
    """
    known: dict[tuple[str, str], list[int]] = defaultdict(list)
    specs: dict[tuple[str, str], list[OperatorVersion]] = defaultdict(list)
    for version in versions:
        known[version.spec.domain, version.spec.operator].append(version.spec.since_version)
        specs[version.spec.domain, version.spec.operator].append(version.spec)
    found: dict[str, dict[str, Any]] = defaultdict(dict)
    for (domain, name), (path, written) in loaded.conversions.items():
        index = loaded.indexes.get(domain)
        published = index[1].operators.get(name) if index else None
        numbers = list(published.versions) if published else sorted(known[domain, name])
        source = _source(domain, written, loaded, faults)
        steps = {}
        for step in source.steps:
            if step.step in steps:
                faults.report(step.at("step"), f"'{step.step}' is written twice, expected once")
            elif _is_step(step, numbers, path, faults):
                steps[step.step] = {
                    "up": _listed(step, step.up, faults),
                    "down": _listed(step, step.down, faults),
                }
        found[domain][name] = steps
    for (domain, name), several in sorted(specs.items()):
        if domain == MAIN_DOMAIN:
            _report_missing(several, found[domain].get(name, {}), faults)
    return {domain: steps for domain, steps in found.items() if steps}


def _report_missing(
    specs: Sequence[OperatorVersion], steps: Mapping[str, Any], faults: Faults
) -> None:
    """Report the steps of an operator that have no entry, and that facts do not settle."""
    for older, newer in pairwise(sorted(specs, key=lambda one: one.since_version)):
        step = f"{older.since_version}>{newer.since_version}"
        entry = steps.get(step, {})
        for direction, source, target in (("up", older, newer), ("down", newer, older)):
            reason = unsettled(source, target)
            if reason and not entry.get(direction):
                faults.report(
                    newer.at("since_version"),
                    f"{newer.operator} {step} has no conversion {direction}, and {reason}; "
                    f"expected an entry in {CONVERSIONS}",
                )


def unsettled(source: OperatorVersion, target: OperatorVersion) -> str | None:
    """Why a call of a version is no call of another one, as far as facts show; ``None`` if it is.

    Attributes that the target lacks go while they have their default, and so do inputs and outputs
    that are absent. That equal calls compute the same only running them shows.
    """
    for what, before, after in (
        ("input", source.inputs, target.inputs),
        ("output", source.outputs, target.outputs),
    ):
        for parameter in after[len(before) :]:
            if parameter.option is Option.SINGLE:
                return f"{target.label} requires {what} {parameter.name}"
        for parameter in before[len(after) :]:
            if parameter.option is Option.SINGLE:
                return f"{target.label} has no {what} {parameter.name}"
    known = {one.name: one for one in target.attributes}
    present = {one.name for one in source.attributes}
    for attribute in source.attributes:
        other = known.get(attribute.name)
        if other is not None and other.kind is not attribute.kind:
            return f"attribute {attribute.name} is {other.kind.value} in {target.label}"
        if other is None and attribute.required and attribute.name not in LEGACY:
            return f"{target.label} has no attribute {attribute.name}"
        is_upward = target.since_version > source.since_version
        if other is None and is_upward and attribute.name not in LEGACY:
            return f"{target.label} has no attribute {attribute.name}"
    for attribute in target.attributes:
        if attribute.required and attribute.name not in present:
            return f"{target.label} requires attribute {attribute.name}"
    return None


def _source(
    domain: str, written: ConversionsFile, loaded: Loaded, faults: Faults
) -> ConversionsFile:
    """The file that has the steps: the file itself, or that of the operator that it is like."""
    if written.like is None:
        if not written.steps:
            faults.report(written.location, "has no steps, expected steps or like")
        return written
    other = loaded.conversions.get((domain, written.like))
    if other is None or other[1].like is not None or written.steps:
        faults.report(
            written.at("like"),
            f"'{written.like}' has no steps of its own beside it, expected an operator with a "
            "conversions.yaml, and no other key",
        )
        return written
    return other[1]


def _is_step(step: Step, numbers: Sequence[int], path: str, faults: Faults) -> bool:
    """Return whether a step joins two published versions that are neighbours."""
    pairs = [f"new>{numbers[0]}"] if numbers else []
    pairs += [f"{older}>{newer}" for older, newer in pairwise(numbers)]
    if step.step in pairs:
        return True
    if step.location.path == path:
        faults.report(
            step.at("step"), f"'{step.step}' is no step, expected one of {', '.join(pairs)}"
        )
    return False


def _listed(
    step: Step, alternatives: Sequence[Alternative], faults: Faults
) -> list[dict[str, Any]]:
    found = []
    for one in alternatives:
        let = {**_let(step, faults), **_let(one, faults)}
        found.append(({"let": let} if let else {}) | dict(_entries(one, faults)))
    return found


def _let(part: Step | Alternative, faults: Faults) -> dict[str, str]:
    for text in (part.let or {}).values():
        _check_expression(text, part.at("let"), faults)
    return {name: " ".join(text.split()) for name, text in (part.let or {}).items()}


def _entries(one: Alternative, faults: Faults) -> Iterator[tuple[str, Any]]:
    given = [name for name in _ACTIONS if getattr(one, name) not in (None, False)]
    if one.body and one.same is not None:
        given.remove("same")
    if len(given) != 1:
        faults.report(one.location, f"has {len(given)} of {', '.join(_ACTIONS)}, expected one")
    changes: Mapping[str, Any] = {n: plain(tree) for n, tree in (one.same or {}).items()}
    for name, text in (("when", one.when), *((f"same.{n}", text) for n, text in changes.items())):
        if text is not None:
            _check_expression(str(text), one.at(name.partition(".")[0]), faults)
    if one.when is not None:
        yield "when", one.when
    if one.same is not None:
        yield "same", {name: None if text is None else str(text) for name, text in changes.items()}
    for name in ("samples", "body"):
        if getattr(one, name):
            yield name, True
    if one.differs:
        yield "differs", list(one.differs)
    if one.around:
        yield "around", dict(one.around)
    for name in ("nodes", "impossible", "why"):
        if getattr(one, name) is not None:
            yield name, " ".join(getattr(one, name).split())


def _check_expression(text: str, location: Location, faults: Faults) -> None:
    try:
        compile(text, "<conversions.yaml>", "eval")
    except SyntaxError as error:
        faults.report(location, f"'{text}' is no expression: {error.msg}")
