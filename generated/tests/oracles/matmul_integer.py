"""Slow reference of MatMulInteger: each element is an exact sum, as an int32."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from opmill_checks.quantized import product_shape, products
from opmill_checks.sums import dot
from opmill_checks.value import Value


def oracle(inputs: Mapping[str, Value | None], attributes: Mapping[str, Any]) -> dict[str, Value]:
    a, b = inputs["A"], inputs["B"]
    if a is None or b is None:
        raise ValueError("A and B are required")
    elements = products(a, inputs.get("a_zero_point"), b, inputs.get("b_zero_point"))
    items = tuple(dot(pairs, "int32") for pairs, _, _ in elements)
    return {"Y": Value("int32", product_shape(a, b), items)}
