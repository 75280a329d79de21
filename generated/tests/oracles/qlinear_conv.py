"""Slow reference of QLinearConv: exact sums as int32, factors of floats, each rounded once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from opmill_checks.quantized import limited, over, times
from opmill_checks.quantized_windows import channels_moved, convolved
from opmill_checks.rounding import element, rounded
from opmill_checks.value import Value


def oracle(inputs: Mapping[str, Value | None], attributes: Mapping[str, Any]) -> dict[str, Value]:
    given = {name: value for name, value in inputs.items() if value is not None}
    w_scale, y_zero = given["w_scale"].items, given["y_zero_point"]
    bias = given["B"].items if "B" in given else None
    is_last = attributes.get("channels_last", 0) != 0
    x = channels_moved(given["x"], 1) if is_last else given["x"]
    shape, sums = convolved(x, given["x_zero_point"], given["w"], given["w_zero_point"], attributes)
    items = []
    for total, m in sums:
        whole = element("int32", total + (bias[m] if bias is not None else 0))
        by = times(given["x_scale"].items[0], w_scale[m if len(w_scale) > 1 else 0])
        by = over(by, given["y_scale"].items[0])
        number = times(rounded(whole or 0.0, "float"), by)
        items.append(limited(number, y_zero.items[0], y_zero.type))
    y = Value(y_zero.type, shape, tuple(items))
    return {"y": channels_moved(y, len(shape) - 1) if is_last else y}
