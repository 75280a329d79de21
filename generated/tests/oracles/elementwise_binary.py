"""What the operators of the family elementwise_binary compute, one pair of elements at a time."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

from opmill_checks.indices import indices, ravel
from opmill_checks.rounding import FORMATS, rounded
from opmill_checks.value import TYPES, Value

Pair = Callable[[Any, Any], Any]


def add(a: Any, b: Any) -> Any:
    if isinstance(a, int):
        return a + b
    total = Fraction(a) + Fraction(b) if math.isfinite(a) and math.isfinite(b) else 0
    return total or a + b  # infinities, NaNs and the signs of zeros as Python has them


FUNCTIONS: Mapping[str, Pair] = {"add": add}
"""Of integers the exact integer, of floats the exact number or what is no number."""


def oracle(
    inputs: Mapping[str, Value], attributes: Mapping[str, object], *, function: str
) -> dict[str, Value]:
    A, B = inputs["A"], inputs["B"]
    a, b = A.shape, B.shape
    if attributes.get("broadcast") == 1:  # the axes of B begin at an axis of A
        axis = attributes.get("axis")
        first = axis if isinstance(axis, int) and len(B.items) != 1 else len(a) - len(b)
        b = b + (1,) * (len(a) - len(b) - first)
    rank = max(len(a), len(b))
    a, b = ((1,) * (rank - len(dims)) + dims for dims in (a, b))
    shape = tuple(q if p == 1 else p for p, q in zip(a, b, strict=True))
    items = []
    for index in indices(shape):
        x, y = (
            ravel([0 if dim == 1 else i for i, dim in zip(index, dims, strict=True)], dims)
            for dims in (a, b)
        )
        items.append(element(A.type, FUNCTIONS[function](A.items[x], B.items[y])))
    return {"C": Value(A.type, shape, tuple(items))}


def element(type: str, number: Any) -> Any:
    """The element that stands for an exact number: rounded once; integers wrap around."""
    if type in FORMATS:
        return rounded(number, type)
    modulus = 2 ** TYPES[type].width
    wrapped = number % modulus
    signed = not type.startswith("u") and wrapped >= modulus // 2
    return wrapped - modulus if signed else wrapped
