"""Contexts that the pages of versions and of their comparison share."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from opmill_gen.base.literals import sentence
from opmill_gen.base.names import domain_package
from opmill_gen.check.result import CheckedVersion
from opmill_gen.emit.backend import Backend
from opmill_gen.emit.backends import BACKENDS
from opmill_gen.emit.docs.figures import example_figure, figure_legend
from opmill_gen.emit.docs.markdown import anchor, block, code, fenced, inline
from opmill_gen.emit.docs.requirements import Requirements, requirements_of
from opmill_gen.emit.docs.shared_examples import example_key
from opmill_gen.emit.python.examples import session_text
from opmill_gen.emit.python.module import short_signature
from opmill_gen.inspect.version_diff import (
    count_text,
    fact,
    signature_of_attribute,
    signature_of_parameter,
)
from opmill_gen.spec.cases import Example, Reject
from opmill_gen.spec.operator_version import FACTS, Change, OperatorVersion


@dataclass(frozen=True)
class Publication:
    """Index entry of an operator: its versions, and the domain's newest opset."""

    versions: tuple[int, ...]
    opset: int


Case = tuple[str, str]
"""A version's label, and the name of one of its examples or rejects."""

_INDENT = "  "


def page_name(version: CheckedVersion) -> str:
    """The name of an operator's page, as ``conv_transpose`` or ``com_example/blend``."""
    return "/".join(filter(None, (domain_package(version.spec.domain), version.names.package)))


def anchor_of(spec: OperatorVersion, *parts: str | int) -> str:
    """The name of a place on an operator's page."""
    return anchor(*filter(None, (domain_package(spec.domain), spec.operator)), *parts)


def version_context(
    version: CheckedVersion,
    older: OperatorVersion | None,
    newer: OperatorVersion | None,
    module: str,
    published: Publication | None,
    anchors: Mapping[Case, str],
    *,
    typeset: bool = False,
) -> dict[str, Any]:
    """Context of one version on a page; ``typeset`` sets formulas as MathML."""
    spec = version.spec
    names = parameter_names(spec) if typeset else None
    examples = {e.name: anchors[spec.label, e.name] for e in spec.examples}
    own = [
        e for e in spec.examples if examples[e.name] == anchor_of(spec, spec.since_version, e.name)
    ]
    last = last_opset(spec, newer, published)
    return {
        "label": inline(spec.label),
        "number": spec.since_version,
        "anchor": anchor_of(spec, spec.since_version),
        "facts": facts_context(spec),
        "opsets": opset_range(spec.since_version, last),
        "deprecated": spec.deprecated,
        "summary": block(spec.summary, formulas=names),
        "call": fenced(short_signature(version, module), "python"),
        "declarations": [_declared(version, backend, module) for backend in BACKENDS],
        "counts": _counts(spec),
        "inputs": parts_context(spec.inputs, signature_of_parameter, names),
        "outputs": parts_context(spec.outputs, signature_of_parameter, names),
        "attributes": parts_context(spec.attributes, signature_of_attribute, names),
        "types": [
            {
                "name": code(name),
                "types": ", ".join(code(str(t)) for t in constraint.types),
                "about": block(constraint.description, _INDENT, names),
            }
            for name, constraint in spec.type_constraints.items()
        ],
        "accuracy": _accuracy(spec),
        "is_exact": not spec.accuracy.tolerances,
        "programs": [
            program for backend in BACKENDS if (program := _program(version, backend)) is not None
        ],
        "legend": block(figure_legend(version.instance.family)),
        "requirements": [_required(part) for part in requirements_of(version)],
        "rule_source": fenced(version.instance.rule.text, "python"),
        "family": code(version.instance.family.name),
        "examples": [example_context(version, example, module) for example in own],
        "repeated": [
            (inline(name), anchor)
            for name, anchor in examples.items()
            if name not in {example.name for example in own}
        ],
        "rejects": [_reject(spec, reject) for reject in spec.rejects],
        "errata": [
            {
                "text": block(erratum.text, _INDENT, names),
                "decision": block(erratum.decision, _INDENT, names),
                "evidence": block(erratum.evidence, _INDENT, names),
            }
            for erratum in spec.errata
        ],
        "older": inline(older.label) if older else None,
        "changes": [change_context(spec, change, anchors) for change in spec.changes],
    }


def _declared(version: CheckedVersion, backend: Backend, module: str) -> dict[str, str]:
    """Functions of a version in the language of a backend, or why there are none."""
    gap = backend.gap(version)
    package = module.partition(".")[0]
    text = "" if gap else fenced(backend.declaration(version, package), backend.language.lower())
    return {"language": backend.language, "text": text, "gap": inline(gap or "")}


def _program(version: CheckedVersion, backend: Backend) -> dict[str, str] | None:
    program = backend.program(version)
    if program is None:
        return None
    return {
        "language": backend.language,
        "example": inline(program.example),
        "source": fenced(program.source, backend.language.lower()),
        "printed": fenced(program.printed, "text"),
    }


def facts_context(spec: OperatorVersion) -> list[tuple[str, str]]:
    """Facts that ONNX publishes of a version beside its signature."""
    facts = [("name", spec.operator), ("domain", spec.domain)]
    facts += [(name, fact(spec, name)) for name in FACTS]
    return [(inline(name.replace("_", " ")), code(value)) for name, value in facts]


def last_opset(
    spec: OperatorVersion, newer: OperatorVersion | None, published: Publication | None
) -> int | None:
    """The last opset in which a version is in force; ``None`` where none is known."""
    if published is None:
        return newer.since_version - 1 if newer else None
    later = [number for number in published.versions if number > spec.since_version]
    return min(later) - 1 if later else published.opset


def opset_range(first: int, last: int | None) -> str:
    """The opsets in which a version is in force, in words."""
    if last is None:
        return f"{first} and later"
    return str(first) if first == last else f"{first} to {last}"


def _counts(spec: OperatorVersion) -> dict[str, str]:
    """Numbers of inputs and outputs of a call, where these are open: a sentence for each."""
    given = {"Inputs": count_text(spec.inputs), "Outputs": count_text(spec.outputs)}
    verbs = {"Inputs": "gives", "Outputs": "returns"}
    return {
        title: f"A call {verbs[title]} {count} {title.lower()}."
        for title, count in given.items()
        if not count.isdecimal()
    }


def parameter_names(spec: OperatorVersion) -> tuple[str, ...]:
    """The names of a version's inputs, outputs and attributes, which are operands of formulas."""
    parameters = (*spec.inputs, *spec.outputs)
    return (*(p.name for p in parameters), *(a.name for a in spec.attributes))


def initials(operator: str) -> str:
    """The capitals of an operator's name, as ``nms``; empty for fewer than three."""
    capitals = "".join(re.findall(r"[A-Z](?=[a-z])", operator)).lower()
    return capitals if len(capitals) > 2 else ""


def parts_context(
    parts: Any, signature: Any, names: Iterable[str] | None = None
) -> list[dict[str, str]]:
    """The inputs, outputs or attributes of a version, each with its type and its description."""
    return [
        {
            "name": code(part.name),
            "about": inline(signature(part)),
            "text": block(part.description, _INDENT, names),
        }
        for part in parts
    ]


def _accuracy(spec: OperatorVersion) -> list[tuple[str, str, str]]:
    """The tolerance of each type; none where results equal the expected ones in all types."""
    if all(float(t.rtol) == float(t.atol) == 0 for t in spec.accuracy.tolerances.values()):
        return []
    return [
        (code(f"tensor({element.value})"), tolerance.rtol, tolerance.atol)
        for element, tolerance in spec.accuracy.tolerances.items()
    ]


def _required(part: Requirements) -> dict[str, Any]:
    return {
        "subject": code(part.subject) if part.subject else "The call",
        "error": code(part.error),
        "sentences": [inline(sentence) for sentence in part.sentences],
    }


def case_anchors(versions: Sequence[CheckedVersion], modules: Mapping[str, str]) -> dict[Case, str]:
    """The page section of every example and reject of an operator.

    An example that several versions share is under the newest of them.
    """
    anchors: dict[Case, str] = {}
    shown: dict[tuple[str, ...], str] = {}
    for version in reversed(versions):
        spec, module = version.spec, modules[version.spec.label]
        for example in spec.examples:
            here = anchor_of(spec, spec.since_version, example.name)
            key = example_key(version, module, example)
            anchors[spec.label, example.name] = shown.setdefault(key, here)
        for reject in spec.rejects:
            anchors[spec.label, reject.name] = anchor_of(spec, spec.since_version, reject.name)
    return anchors


def example_context(version: CheckedVersion, example: Example, module: str) -> dict[str, Any]:
    """An example with its session and, where the family draws one, its picture."""
    spec = version.spec
    return {
        "name": inline(example.name),
        "anchor": anchor_of(spec, spec.since_version, example.name),
        "about": inline(sentence(example.description)) if example.description else "",
        "onnx_test": code(example.onnx_test) if example.onnx_test else None,
        "kind": "sequence" if version.spec.holds_others(example) else "tensor",
        "each_type": code(example.each_type) if example.each_type else None,
        "figure": example_figure(version, example),
        "session": fenced(session_text(version, example, module), "pycon"),
    }


def _reject(spec: OperatorVersion, reject: Reject) -> dict[str, str]:
    return {
        "name": inline(reject.name),
        "anchor": anchor_of(spec, spec.since_version, reject.name),
        "about": inline(reject.description or ""),
        "error": code(reject.raises.value),
        "message": code(f"{spec.label}: {reject.error}"),
    }


def change_context(
    spec: OperatorVersion, change: Change, anchors: Mapping[Case, str]
) -> dict[str, Any]:
    """A change in meaning, with the case that shows it."""
    return {
        "version": spec.since_version,
        "what": inline(change.what),
        "shown_by": inline(change.shown_by),
        "anchor": anchors[spec.label, change.shown_by],
    }
