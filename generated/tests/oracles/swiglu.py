"""Reference of SwiGLU of each pair of elements, in exact and decimal arithmetic."""

from __future__ import annotations

import math
from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction
from typing import Any

from opmill_checks import elementary
from opmill_checks.rounding import attribute_value, element
from opmill_checks.value import Value


def swish(a: float, alpha: float) -> Any:
    """a / (1 + exp(-alpha a)): the limits of the second factor, times a."""
    power = (
        Fraction(a) * Fraction(alpha) if math.isfinite(a) and math.isfinite(alpha) else a * alpha
    )
    if power != power:
        return math.nan
    if not math.isfinite(a) or abs(power) > 5000:
        return a * (1.0 if power > 0 else 0.0 if power < 0 else 0.5)
    exponent = Decimal(-power.numerator) / Decimal(power.denominator) if power else Decimal(0)
    return Fraction(a) / (1 + Fraction(elementary.exp(exponent))) or a


def product(a: float, b: float) -> Any:
    """The exact product; infinities, NaNs and the signs of zeros as Python has them."""
    finite = math.isfinite(a) and math.isfinite(b)
    return (Fraction(a) * Fraction(b) if finite else 0) or a * b


def oracle(
    inputs: Mapping[str, Value], attributes: Mapping[str, Any], *, defaults: Mapping[str, Any]
) -> dict[str, Value]:
    """The function of the gate as an element of its type, then the product."""
    A, B = inputs["A"], inputs["B"]
    alpha = attribute_value({**defaults, **attributes}["alpha"])
    items = []
    for a, b in zip(A.items, B.items, strict=True):
        gate = element(A.type, swish(a, alpha))
        items.append(element(A.type, product(gate, b)))
    return {"Y": Value(A.type, A.shape, tuple(items))}
