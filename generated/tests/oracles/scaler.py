"""Reference of Scaler, one element at a time."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from opmill_checks.rounding import rounded
from opmill_checks.value import Value


def oracle(inputs: Mapping[str, Value], attributes: Mapping[str, Any]) -> dict[str, Value]:
    x = inputs["X"]
    wide = "float" if x.type == "float" else "double"
    items = []
    for i, item in enumerate(x.items):
        feature = i % x.shape[-1]
        offset = of_feature(attributes.get("offset"), feature, 0.0)
        scale = of_feature(attributes.get("scale"), feature, 1.0)
        number = rounded(item if isinstance(item, float) else Fraction(item), wide)
        difference = step(number, offset, lambda a, b: a - b, wide)
        items.append(rounded(step(difference, scale, lambda a, b: a * b, wide), "float"))
    return {"Y": Value("float", x.shape, tuple(items))}


def of_feature(values: Sequence[float] | None, feature: int, otherwise: float) -> float:
    if values is None:
        return otherwise
    return rounded(float(values[0 if len(values) == 1 else feature]), "float")


def step(a: float, b: float, function: Callable[[Any, Any], Any], type: str) -> float:
    """The rounded exact result of finite numbers; else what Python computes."""
    if math.isfinite(a) and math.isfinite(b):
        exact = function(Fraction(a), Fraction(b))
        return rounded(exact, type) if exact else float(function(a, b))
    return float(function(a, b))
