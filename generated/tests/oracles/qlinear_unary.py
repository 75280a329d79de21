"""Functions of quantised elements, one after the other; each step is rounded to float."""

from __future__ import annotations

import math
from collections.abc import Mapping
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Any

from opmill_checks import elementary
from opmill_checks.quantized import limited, over, times
from opmill_checks.rounding import attribute_value, rounded
from opmill_checks.value import Value

FAR = 200
"""Beyond it a sigmoid is 0 or 1 in float."""


def oracle(
    inputs: Mapping[str, Value | None],
    attributes: Mapping[str, Any],
    *,
    function: str,
    defaults: Mapping[str, Any],
) -> dict[str, Value]:
    x, given = inputs["X"], {**defaults, **attributes}
    assert x is not None
    scale, out_scale = (first(inputs[name]) for name in ("X_scale", "Y_scale"))
    zero, out_zero = (int(first(inputs.get(name))) for name in ("X_zero_point", "Y_zero_point"))
    items = []
    for item in x.items:
        number = times(float(item - zero), scale)
        if function == "sigmoid":
            result = sigmoid(number)
        else:
            result = number if number >= 0 else times(number, attribute_value(given["alpha"]))
        items.append(limited(over(result, out_scale), out_zero, x.type))
    return {"Y": Value(x.type, x.shape, tuple(items))}


def first(value: Value | None) -> Any:
    return 0 if value is None else value.items[0]


def sigmoid(x: float) -> float:
    if math.isnan(x) or abs(x) > FAR:
        return x if math.isnan(x) else float(x > 0)
    with localcontext(elementary.CONTEXT):
        return rounded(Fraction(1 / (1 + (-Decimal(x)).exp())), "float")
