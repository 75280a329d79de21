"""Reference of CDist: sums of squares by fractions, rounded to double; else by floats."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from opmill_checks.rounding import rounded
from opmill_checks.value import Value


def squares(a: Sequence[float], b: Sequence[float]) -> float:
    """The sum of the squared differences."""
    if all(map(math.isfinite, (*a, *b))):
        exact = sum(
            ((Fraction(x) - Fraction(y)) ** 2 for x, y in zip(a, b, strict=True)), Fraction(0)
        )
        return rounded(exact, "double") if exact else 0.0
    total = 0.0
    for x, y in zip(a, b, strict=True):
        total += (x - y) * (x - y)
    return total


def oracle(inputs: Mapping[str, Value], attributes: Mapping[str, Any]) -> dict[str, Value]:
    a, b = inputs["A"], inputs["B"]
    (rows, columns), (count, _) = a.shape, b.shape
    items = []
    for i in range(rows):
        for k in range(count):
            left = a.items[i * columns : (i + 1) * columns]
            total = squares(left, b.items[k * columns : (k + 1) * columns])
            root = attributes.get("metric") == "euclidean"
            items.append(rounded(math.sqrt(total) if root else total, a.type))
    return {"C": Value(a.type, (rows, count), tuple(items))}
