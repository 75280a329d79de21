"""Determinants: by fractions where all is finite, else by elimination in floats."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from opmill_checks.rounding import rounded
from opmill_checks.value import Value


def exact(rows: list[list[Fraction]]) -> Fraction:
    """The expansion by elimination, without any error."""
    result = Fraction(1)
    for k in range(len(rows)):
        pivot = next((i for i in range(k, len(rows)) if rows[i][k] != 0), None)
        if pivot is None:
            return Fraction(0)
        if pivot != k:
            rows[k], rows[pivot] = rows[pivot], rows[k]
            result = -result
        result *= rows[k][k]
        for i in range(k + 1, len(rows)):
            factor = rows[i][k] / rows[k][k]
            rows[i] = [x - factor * y for x, y in zip(rows[i], rows[k], strict=True)]
    return result


def strength(x: float) -> float:
    """The key by which the pivot is selected: a NaN exceeds any number."""
    return math.inf if x != x else min(abs(x), 1.7e308)


def by_floats(rows: list[list[float]]) -> float:
    """With the largest pivot of each column."""
    result = 1.0
    for k in range(len(rows)):
        pivot = max(range(k, len(rows)), key=lambda i: strength(rows[i][k]))
        if pivot != k:
            rows[k], rows[pivot] = rows[pivot], rows[k]
            result = -result
        top = rows[k]
        result *= top[k]
        for i in range(k + 1, len(rows) if top[k] != 0 else 0):
            factor = rows[i][k] / top[k]
            rows[i] = [x - factor * y for x, y in zip(rows[i], top, strict=True)]
    return result


def oracle(inputs: Mapping[str, Value], attributes: Mapping[str, Any]) -> dict[str, Value]:
    x = inputs["X"]
    size, shape = x.shape[-1], x.shape[:-2]
    items = []
    for matrix in range(math.prod(shape)):
        first = matrix * size * size
        rows = [list(x.items[first + i * size : first + (i + 1) * size]) for i in range(size)]
        if all(math.isfinite(number) for row in rows for number in row):
            number = exact([[Fraction(number) for number in row] for row in rows])
            items.append(rounded(number, x.type) if number else 0.0)
        else:
            items.append(rounded(by_floats(rows) + 0.0, x.type))
    return {"Y": Value(x.type, shape, tuple(items))}
