"""Slow reference of DynamicQuantizeLinear: exact quotients, each rounded to float once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from opmill_checks.dynamic import dynamically
from opmill_checks.value import Value


def oracle(inputs: Mapping[str, Value | None], attributes: Mapping[str, Any]) -> dict[str, Value]:
    x = inputs["x"]
    if x is None:
        raise ValueError("x is required")
    y, scale, zero = dynamically(x)
    return {"y": y, "y_scale": Value("float", (), (scale,)), "y_zero_point": zero}
