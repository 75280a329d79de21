"""Floats as uint8 with the scale and zero point of their range: exact quotients, rounded once."""

from __future__ import annotations

import math
from fractions import Fraction

from opmill_checks.quantized import limited, over
from opmill_checks.rounding import rounded
from opmill_checks.value import Value


def dynamically(x: Value) -> tuple[Value, float, Value]:
    """The quantized elements, the scale and the zero point."""
    scale = scale_of([0.0, *map(float, x.items)])
    low = min(0.0, *map(float, x.items), 0.0)
    quotient = over(low, scale)
    zero = 0 if math.isnan(scale) or math.isnan(quotient) else limited(-quotient, 0, "uint8")
    items = tuple(
        0
        if math.isnan(scale) or math.isnan(over(item, scale))
        else limited(over(item, scale), zero, "uint8")
        for item in x.items
    )
    return Value("uint8", x.shape, items), scale, Value("uint8", (), (zero,))


def scale_of(numbers: list[float]) -> float:
    """The range of numbers, rounded to float, over 255."""
    if any(math.isnan(number) for number in numbers):
        return math.nan
    low, high = min(numbers), max(numbers)
    if math.isinf(low) or math.isinf(high):
        return math.inf
    if low == high:
        return 1.0
    return over(rounded(Fraction(high) - Fraction(low), "float") or 0.0, 255.0)
