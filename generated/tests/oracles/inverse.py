"""Inverses by fractions, without any error before the last rounding."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from opmill_checks.rounding import rounded
from opmill_checks.value import Value


def solved(matrix: list[list[Fraction]]) -> list[list[Fraction]] | None:
    """The right half of (matrix, identity) when the left one has become the identity."""
    size = len(matrix)
    rows = [[*row, *(Fraction(i == j) for j in range(size))] for i, row in enumerate(matrix)]
    for k in range(size):
        pivot = next((i for i in range(k, size) if rows[i][k] != 0), None)
        if pivot is None:
            return None
        rows[k], rows[pivot] = rows[pivot], rows[k]
        rows[k] = [x / rows[k][k] for x in rows[k]]
        for i in range(size):
            if i != k:
                factor = rows[i][k]
                rows[i] = [x - factor * y for x, y in zip(rows[i], rows[k], strict=True)]
    return [row[size:] for row in rows]


def inverse(numbers: list[float], size: int, type: str) -> list[float]:
    """The elements of one inverse, or NaNs."""
    found = None
    if all(map(math.isfinite, numbers)):
        exact = [Fraction(number) for number in numbers]
        found = solved([exact[i * size : (i + 1) * size] for i in range(size)])
    if found is None:
        return [math.nan] * len(numbers)
    return [rounded(x, type) if x else 0.0 for row in found for x in row]


def oracle(inputs: Mapping[str, Value], attributes: Mapping[str, Any]) -> dict[str, Value]:
    x = inputs["X"]
    size = x.shape[-1]
    items: list[float] = []
    for first in range(0, len(x.items), size * size or 1):
        items += inverse(list(x.items[first : first + size * size]), size, x.type)
    return {"Y": Value(x.type, x.shape, tuple(items))}
