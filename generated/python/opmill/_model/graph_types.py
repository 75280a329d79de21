"""The types of what graphs of a control operator receive and return, as far as they are known.

Only branches that run would show a difference, or iterations; a model is refused when it is read.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from opmill._model.bodies import Site
from opmill._runtime.errors import TypeConstraintError

Words = Sequence[str | None]
"""ONNX's words for the types of values; ``None`` where one is not known."""


def check_types(
    site: Site,
    given: Words,
    inputs: Mapping[str, Words],
    outputs: Mapping[str, Words],
    scanned: int,
) -> None:
    """Refuse graphs whose types contradict each other or those of the node's inputs.

    Args:
        site: the node.
        given: the types of the inputs of the node.
        inputs: for each graph the types of its inputs.
        outputs: for each graph those of its outputs.
        scanned: the number of inputs that Scan scans.

    Raises:
        TypeConstraintError: a type differs.
    """
    if site.operator == "If":
        first, *others = sorted(outputs, reverse=True)
        for name in others:
            _compare(
                site, f"output {{}} of {name}", outputs[name], outputs[first], f"that of {first}"
            )
        return
    body, results = inputs["body"], outputs["body"]
    if site.operator == "Loop":
        _compare(site, "input {} of body", body[:2], ("tensor(int64)", "tensor(bool)"))
        _compare(site, "output {} of body", results[:1], ("tensor(bool)",))
        _compare(site, "input {} of body", body, given, "that of the node's input", first=2)
        _compare(site, "output {} of body", results[1:], body[2:], "that of its input", start=1)
    elif site.operator == "Scan":
        lengths = site.label == "Scan-8"  # which has the lengths in front
        _compare(site, "input {} of body", body, given[lengths:], "that of the node's input")
        states = len(body) - scanned
        _compare(site, "output {} of body", results[:states], body, "that of its input")
    elif site.operator == "SequenceMap":
        items = [None if word is None else _item(word) for word in given]
        _compare(site, "input {} of body", body, items, "that of the node's input")


def differ(one: str | None, other: str | None) -> bool:
    """Return whether two types are known and differ; an optional is compared by its contents."""
    return one is not None and other is not None and _contents(one) != _contents(other)


def _compare(
    site: Site,
    what: str,
    found: Words,
    expected: Words,
    why: str = "",
    first: int = 0,
    start: int = 0,
) -> None:
    """Refuse the first type that differs from the expected one.

    Args:
        site: the node.
        what: what the values are, with ``{}`` for the position.
        found: their types.
        expected: the types that they should have.
        why: what has these types.
        first: the position at which to begin.
        start: the position of the first value.
    """
    for position, (one, other) in enumerate(zip(found, expected, strict=False)):
        if position >= first and differ(one, other):
            reason = f"{what.format(position + start)} has type {one}, expected {other}"
            raise site.refused(f"{reason} ({why})" if why else reason, TypeConstraintError)


def _contents(word: str) -> str:
    return word[len("optional(") : -1] if word.startswith("optional(") else word


def _item(word: str) -> str:
    """The type that the body receives for an input: of a sequence that of its tensors."""
    return word[len("seq(") : -1] if word.startswith("seq(") else word
