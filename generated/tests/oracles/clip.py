"""Reference of Clip: each element is looked up in the input or is a bound."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from opmill_checks.rounding import FORMATS, attribute_value, rounded
from opmill_checks.value import TYPES, Value, bits_of


def oracle(
    inputs: Mapping[str, Value], attributes: Mapping[str, Any], *, defaults: Mapping[str, Any]
) -> dict[str, Value]:
    given = inputs["input"]
    known = {**defaults, **attributes}
    low, high = (
        bound_of(given.type, inputs.get(name), known.get(name), name == "max")
        for name in ("min", "max")
    )
    (bottom,), (top,) = low.items, high.items
    found = []
    for k, x in enumerate(given.items):
        source = (given, k)
        if bottom != bottom or x < bottom:
            source = (low, 0)
        limited = source[0].items[source[1]]
        if top != top or limited > top:
            source = (high, 0)
        found.append(source)
    items = tuple(value.items[k] for value, k in found)
    if given.bits is low.bits is high.bits is None:
        return {"output": Value(given.type, given.shape, items)}
    patterns = {id(value): bits_of(value.to_array()) for value in (given, low, high)}
    bits = tuple(patterns[id(value)][k] for value, k in found)
    return {"output": Value(given.type, given.shape, items, bits)}


def bound_of(type: str, bound: Value | None, number: float | None, largest: bool) -> Value:
    """An input's one element, else an attribute's number, else the limit of the type."""
    if bound is not None:
        return bound
    if number is not None:
        return Value(type, (), (rounded(attribute_value(number), type),))
    return Value(type, (), (limit(type, largest),))


def limit(type: str, largest: bool) -> Any:
    """The lowest or the largest finite value of a type."""
    if type in FORMATS:
        precision, _, highest = FORMATS[type]
        limit = float((2 - Fraction(2) ** (1 - precision)) * Fraction(2) ** highest)
        return limit if largest else -limit
    states = 2 ** TYPES[type].width
    lowest = 0 if type.startswith("u") else -states // 2
    return lowest + states - 1 if largest else lowest
