"""Slow reference of MatMulIntegerToFloat and DynamicQuantizeMatMul: exact sums, then floats."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from opmill_checks.dynamic import dynamically
from opmill_checks.quantized import of_column, product_shape, products, times
from opmill_checks.rounding import element, rounded
from opmill_checks.sums import total_of
from opmill_checks.value import Value


def oracle(inputs: Mapping[str, Value | None], attributes: Mapping[str, Any]) -> dict[str, Value]:
    a, b, scales = inputs["A"], inputs["B"], inputs["b_scale"]
    assert a is not None
    assert b is not None
    assert scales is not None
    given, a_zero = inputs.get("a_scale"), inputs.get("a_zero_point")
    if given is None:
        a, scale, a_zero = dynamically(a)
    else:
        scale = given.items[0]
    bias = inputs.get("bias")
    items = []
    for pairs, _, column in products(a, a_zero, b, inputs.get("b_zero_point")):
        total = element("int32", total_of(pairs))
        by = times(scale, of_column(scales, column))
        number = times(rounded(total or 0.0, "float"), by)
        if bias is not None:
            number = plus(number, bias.items[column[-1]])
        items.append(number)
    narrow = tuple(rounded(item, scales.type) for item in items)
    return {"Y": Value(scales.type, product_shape(a, b), narrow)}


def plus(a: float, b: float) -> float:
    """A sum rounded to float, by IEEE 754."""
    if a + b != a + b or a + b in (float("inf"), float("-inf")):
        return a + b
    return rounded(Fraction(a) + Fraction(b), "float") if Fraction(a) + Fraction(b) else a + b
