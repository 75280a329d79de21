"""The types of what graphs of a control operator receive and return, as far as they are known.

Only branches that run would show a difference, or iterations; a model is refused when it is read.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from opmill._model.bodies import Site
from opmill._runtime.errors import TypeConstraintError
from opmill._runtime.types import element_of_code

Words = Sequence[str | None]
"""ONNX's words for the types of values; ``None`` where one is not known."""


def check_types(
    site: Site,
    given: Words,
    inputs: Mapping[str, Words],
    outputs: Mapping[str, Words],
    values: Mapping[str, Any],
) -> None:
    """Refuse graphs whose types contradict each other or those of the node's inputs.

    Args:
        site: the node.
        given: the types of the inputs of the node.
        inputs: for each graph the types of its inputs.
        outputs: for each graph those of its outputs.
        values: the attributes of the node that are not graphs.

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
    if site.operator == "FlexAttention":
        word = _word_of_scores(given[0] if given else None, values.get("softmax_precision"))
        for name in sorted(inputs):
            for what, words in (("input", inputs[name]), ("output", outputs[name])):
                _compare(site, f"{what} {{}} of {name}", words, (word,), "that of the softmax")
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
        states = len(body) - values.get("num_scan_inputs", 0)
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


def _word_of_scores(queries: str | None, precision: int | None) -> str | None:
    """The type of FlexAttention's softmax, by that of its queries if no attribute names it."""
    if precision is not None:
        element = element_of_code(precision)
        return None if element is None else f"tensor({element})"
    if queries is None or queries == "tensor(double)":
        return queries
    return "tensor(float)"


def _contents(word: str) -> str:
    return word[len("optional(") : -1] if word.startswith("optional(") else word


def _item(word: str) -> str:
    """The type that the body receives for an input: of a sequence that of its tensors."""
    return word[len("seq(") : -1] if word.startswith("seq(") else word
