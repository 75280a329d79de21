"""Rows divided by their norms, one after the other, exactly."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from opmill_checks.rounding import rounded
from opmill_checks.value import Value


def oracle(
    inputs: Mapping[str, Value], attributes: Mapping[str, Any], *, defaults: Mapping[str, Any]
) -> dict[str, Value]:
    x = inputs["X"]
    norm = attributes.get("norm", defaults["norm"])
    length = x.shape[-1]
    items: list[float] = []
    for first in range(0, len(x.items), max(length, 1)):
        row = x.items[first : first + length]
        divisor = divisor_of(row, norm)
        items += [quotient(item, divisor) for item in row]
    return {"Y": Value("float", x.shape, tuple(items))}


def divisor_of(row: tuple[Any, ...], norm: str) -> Any:
    if any(math.isnan(item) for item in row):
        return math.nan
    if norm == "MAX":
        return max(row)
    if any(math.isinf(item) for item in row):
        return math.inf
    exact = [abs(Fraction(item)) for item in row]
    if norm == "L1":
        return sum(exact)
    squares = sum(item * item for item in exact)
    if squares == 0:
        return 0
    shift = 2 * (220 + squares.denominator.bit_length())
    return Fraction(math.isqrt(int(squares * 2**shift)), 2 ** (shift // 2))


def quotient(item: Any, divisor: Any) -> float:
    if divisor == 0:
        return rounded(item if isinstance(item, float) else Fraction(item), "float")
    if isinstance(divisor, float) and not math.isfinite(divisor):
        finite = math.isinf(divisor) and math.isfinite(item)
        return math.copysign(0.0, item) * math.copysign(1.0, divisor) if finite else math.nan
    if item == 0:  # which has a sign
        return math.copysign(0.0, item) * (1 if divisor > 0 else -1)
    if not math.isfinite(item):
        return float(item) if divisor > 0 else -float(item)
    return rounded(Fraction(item) / Fraction(divisor), "float")
