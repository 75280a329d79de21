"""Reference of the operators of the family elementwise_variadic, one place after the other."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from opmill_checks.indices import indices, ravel
from opmill_checks.rounding import element, rounded
from opmill_checks.value import Value


def largest(items: Sequence[Any], type: str) -> Any:
    return next((item for item in items if item != item), None) or max(items)


def smallest(items: Sequence[Any], type: str) -> Any:
    return next((item for item in items if item != item), None) or min(items)


def total(items: Sequence[Any], type: str) -> Any:
    """From the first to the last, each sum rounded to the type of the arithmetic."""
    result = items[0]
    for item in items[1:]:
        finite = math.isfinite(result) and math.isfinite(item)
        exact = Fraction(result) + Fraction(item) if finite else 0
        result = rounded(exact or result + item, type)
    return result


def mean(items: Sequence[Any], type: str) -> Any:
    result = total(items, type)
    finite = math.isfinite(result) and result != 0
    return rounded(Fraction(result) / len(items) if finite else result, type)


FUNCTIONS: Mapping[str, Callable[[Sequence[Any], str], Any]] = {
    "max": largest,
    "mean": mean,
    "min": smallest,
    "sum": total,
}
"""Of the elements at one place and the floating type of the arithmetic."""


def oracle(
    inputs: Mapping[str, Sequence[Value]], attributes: Mapping[str, Any], *, function: str
) -> dict[str, Value]:
    given = inputs["data_0"]
    type = given[0].type
    rank = max(len(value.shape) for value in given)
    aligned = [(1,) * (rank - len(value.shape)) + value.shape for value in given]
    shape = tuple(next((dim for dim in dims if dim != 1), 1) for dims in zip(*aligned, strict=True))
    items = []
    for index in indices(shape):
        found = [
            value.items[ravel([0 if d == 1 else i for i, d in zip(index, dims, strict=True)], dims)]
            for value, dims in zip(given, aligned, strict=True)
        ]
        arithmetic = "double" if type == "double" else "float"
        items.append(element(type, FUNCTIONS[function](found, arithmetic)))
    return {function: Value(type, shape, tuple(items))}
