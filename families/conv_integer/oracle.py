"""Slow reference of ConvInteger: each output is an exact sum over its window, as an int32."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from opmill_checks.quantized_windows import convolved
from opmill_checks.rounding import element
from opmill_checks.value import Value


def oracle(inputs: Mapping[str, Value | None], attributes: Mapping[str, Any]) -> dict[str, Value]:
    x, w = inputs["x"], inputs["w"]
    if x is None or w is None:
        raise ValueError("x and w are required")
    zeros = inputs.get("x_zero_point"), inputs.get("w_zero_point")
    shape, sums = convolved(x, zeros[0], w, zeros[1], attributes)
    return {"y": Value("int32", shape, tuple(element("int32", total) for total, _ in sums))}
