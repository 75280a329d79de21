"""Reference of Adam: element by element, in Python's floats."""

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


def root(a: float) -> float:
    return sqrt(a) if a >= 0 else nan


def oracle(
    inputs: Mapping[str, Any], attributes: Mapping[str, Any], *, defaults: Mapping[str, Any]
) -> dict[str, list[Value]]:
    given = {name: rounded(float(one), "float") for name, one in {**defaults, **attributes}.items()}
    alpha, beta = given["alpha"], given["beta"]
    rate, step = inputs["R"].items[0], inputs["T"].items[0]
    tensors = inputs["inputs"]
    count = len(tensors) // 4
    if step > 0:
        rate = quotient(rate * root(1 - beta**step), 1 - alpha**step)
    results: list[list[Value]] = [[], [], []]
    for x, *rest in zip(*(tensors[part * count :][:count] for part in range(4)), strict=True):
        found: list[list[float]] = [[], [], []]
        for a, b, c, d in zip(x.items, *(one.items for one in rest), strict=True):
            slope = given["norm_coefficient"] * a + b
            mean = alpha * c + (1 - alpha) * slope
            square = beta * d + (1 - beta) * slope * slope
            moved = a - quotient(rate * mean, root(square) + given["epsilon"])
            moved *= 1 - given["norm_coefficient_post"]
            for items, one in zip(found, (moved, mean, square), strict=True):
                items.append(rounded(one, x.type))
        for values, items in zip(results, found, strict=True):
            values.append(Value(x.type, x.shape, tuple(items)))
    return {"outputs": [value for values in results for value in values]}
