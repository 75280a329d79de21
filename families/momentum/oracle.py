"""Reference of Momentum: element by element, in Python's floats."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from opmill_checks.rounding import rounded
from opmill_checks.value import Value


def oracle(inputs: Mapping[str, Any], attributes: Mapping[str, Any]) -> dict[str, list[Value]]:
    alpha, beta, norm = (
        rounded(float(attributes[name]), "float") for name in ("alpha", "beta", "norm_coefficient")
    )
    rate, step = inputs["R"].items[0], inputs["T"].items[0]
    tensors = inputs["inputs"]
    count = len(tensors) // 3
    new, momentums = [], []
    for x, g, v in zip(*(tensors[part * count :][:count] for part in range(3)), strict=True):
        moved, sums = [], []
        for a, b, c in zip(x.items, g.items, v.items, strict=True):
            slope = norm * a + b
            total = alpha * c + (beta * slope if step > 0 else slope)
            along = total if attributes["mode"] == "standard" else slope + alpha * total
            moved.append(rounded(a - rate * along, x.type))
            sums.append(rounded(total, x.type))
        new.append(Value(x.type, x.shape, tuple(moved)))
        momentums.append(Value(x.type, x.shape, tuple(sums)))
    return {"outputs": [*new, *momentums]}
