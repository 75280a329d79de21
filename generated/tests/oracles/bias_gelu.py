"""Reference of the family bias_gelu, one element at a time, with 40 digits."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Any

from opmill_checks import elementary
from opmill_checks.rounding import element, rounded
from opmill_checks.value import Value

FAR = 200
"""Beyond it the function is the element itself, or 0, in every type."""


def oracle(
    inputs: Mapping[str, Value | None],
    attributes: Mapping[str, Any],
    *,
    tanh: bool,
    output_names: Sequence[str],
) -> dict[str, Value]:
    x, bias = inputs.values()
    assert x is not None
    wide = "double" if x.type == "double" else "float"
    items = []
    for i, item in enumerate(x.items):
        total = item if bias is None else plus(item, bias.items[i % x.shape[-1]], wide)
        items.append(element(x.type, gelu(total, tanh)))
    return {output_names[0]: Value(x.type, x.shape, tuple(items))}


def plus(a: float, b: float, type: str) -> float:
    """The sum, rounded; infinities, NaNs and the signs of zeros as Python has them."""
    exact = Fraction(a) + Fraction(b) if math.isfinite(a) and math.isfinite(b) else 0
    return rounded(exact, type) if exact else a + b


def gelu(x: float, tanh: bool) -> Any:
    """x times the normal distribution function of x, or times its approximation."""
    if not math.isfinite(x) or abs(x) > FAR:
        return x if not x < 0 else -0.0 if math.isfinite(x) else math.nan
    with localcontext(elementary.CONTEXT):
        wide = Decimal(x)
        if not tanh:
            return Fraction(wide * elementary.erfc(-wide / Decimal(2).sqrt()) / 2)
        root = (2 / elementary.pi(elementary.DIGITS)).sqrt()
        power = -2 * root * (wide + Decimal("0.044715") * wide**3)
        return Fraction(wide / (1 + power.exp()))
