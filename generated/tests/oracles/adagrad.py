"""Reference of Adagrad: element by element, in Python's floats."""

from __future__ import annotations

from collections.abc import Mapping
from math import inf, nan, sqrt
from typing import Any

from opmill_checks.rounding import rounded
from opmill_checks.value import Value


def quotient(a: float, b: float) -> float:
    if b != 0:
        return a / b
    return nan if a == 0 or a != a else inf if a > 0 else -inf


def oracle(
    inputs: Mapping[str, Any], attributes: Mapping[str, Any], *, defaults: Mapping[str, Any]
) -> dict[str, list[Value]]:
    given = {name: rounded(float(one), "float") for name, one in {**defaults, **attributes}.items()}
    rate, step = inputs["R"].items[0], inputs["T"].items[0]
    tensors = inputs["inputs"]
    count = len(tensors) // 3
    rate = quotient(rate, 1 + step * given["decay_factor"])
    new, sums = [], []
    for x, g, h in zip(*(tensors[part * count :][:count] for part in range(3)), strict=True):
        moved, squared = [], []
        for a, b, c in zip(x.items, g.items, h.items, strict=True):
            slope = given["norm_coefficient"] * a + b
            total = c + slope * slope
            root = sqrt(total) if total >= 0 else nan
            moved.append(rounded(a - quotient(rate * slope, root + given["epsilon"]), x.type))
            squared.append(rounded(total, x.type))
        new.append(Value(x.type, x.shape, tuple(moved)))
        sums.append(Value(x.type, x.shape, tuple(squared)))
    return {"outputs": [*new, *sums]}
