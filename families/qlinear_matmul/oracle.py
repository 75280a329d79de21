"""Slow reference of QLinearMatMul: exact sums, factors of floats, each step rounded once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from opmill_checks.quantized import (
    of_column,
    of_row,
    over,
    product_shape,
    products,
    quantized,
    times,
)
from opmill_checks.rounding import element, rounded
from opmill_checks.sums import total_of
from opmill_checks.value import TYPES, Value


def oracle(inputs: Mapping[str, Value | None], attributes: Mapping[str, Any]) -> dict[str, Value]:
    given = {name: value for name, value in inputs.items() if value is not None}
    a, b, y_zero = given["a"], given["b"], given["y_zero_point"]
    is_whole = TYPES[a.type].kind == TYPES[b.type].kind == "integer"
    items = []
    for pairs, row, column in products(a, given["a_zero_point"], b, given["b_zero_point"]):
        total = total_of(pairs)
        total = element("int32", total) if is_whole else rounded(total, "double")
        by = times(of_row(given["a_scale"], row), of_column(given["b_scale"], column))
        by = over(by, given["y_scale"].items[0])
        number = times(rounded(total or 0.0, "float"), by)
        items.append(quantized(number, y_zero.items[0], y_zero.type))
    return {"y": Value(y_zero.type, product_shape(a, b), tuple(items))}
