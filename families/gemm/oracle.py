"""Slow reference of Gemm: exact sums, times alpha, plus beta times C, rounded once."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from opmill_checks.rounding import FORMATS, attribute_value, element, rounded
from opmill_checks.sums import plus, times, total_of
from opmill_checks.value import TYPES, Value


def oracle(inputs: Mapping[str, Value | None], attributes: Mapping[str, Any]) -> dict[str, Value]:
    a, b, c = inputs["A"], inputs["B"], inputs.get("C")
    if a is None or b is None:
        raise ValueError("A and B are required")
    alpha = attribute_value(attributes.get("alpha", 1.0))
    beta = attribute_value(attributes.get("beta", 1.0))
    flip_a, flip_b = attributes.get("transA", 0) != 0, attributes.get("transB", 0) != 0
    m, depth = (a.shape[1], a.shape[0]) if flip_a else (a.shape[0], a.shape[1])
    n = b.shape[0] if flip_b else b.shape[1]
    items = []
    for i in range(m):
        for j in range(n):
            pairs = (
                (
                    a.items[k * m + i if flip_a else i * depth + k],
                    b.items[j * depth + k if flip_b else k * n + j],
                )
                for k in range(depth)
            )
            total = total_of(pairs)
            third = None if c is None or beta == 0 else c.items[position(c.shape, i, j)]
            if a.type in FORMATS:
                items.append(real(total, third, alpha, beta, a.type))
            else:
                items.append(whole(total, third, alpha, beta, a.type))
    return {"Y": Value(a.type, (m, n), tuple(items))}


def position(shape: tuple[int, ...], i: int, j: int) -> int:
    """The position in C of what is added to element (i, j)."""
    rows, columns = (1, 1, *shape)[-2:]
    return (i if rows > 1 else 0) * columns + (j if columns > 1 else 0)


def real(total: Any, third: float | None, alpha: float, beta: float, type: str) -> float:
    if not math.isfinite(alpha):
        scaled: Any = alpha * float(total)
    else:
        scaled = times(alpha, total)
    if third is not None:
        both_finite = math.isfinite(beta) and math.isfinite(third)
        scaled = plus(scaled, Fraction(beta) * Fraction(third) if both_finite else beta * third)
    return rounded(scaled, type)


def whole(total: int, third: int | None, alpha: float, beta: float, type: str) -> int:
    """Wrapped, where both factors are 1; else in double, cut off, and held in the type."""
    wrapped = element(type, total)
    if alpha == 1 and (third is None or beta == 1):
        return int(element(type, wrapped + (third or 0)))
    number = float(wrapped) * alpha
    if third is not None:
        number += float(third) * beta
    bits, signed = TYPES[type].width, not type.startswith("u")
    lowest, highest = (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) if signed else (0, 2**bits - 1)
    if math.isnan(number):
        return 0
    if math.isinf(number):
        return highest if number > 0 else lowest
    return min(max(int(number), lowest), highest)
