"""Slow reference of QGemm: exact sums, then factors of floats, each step rounded once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from opmill_checks.indices import indices, ravel
from opmill_checks.quantized import limited, of_column, over, times
from opmill_checks.rounding import element, rounded
from opmill_checks.value import Value


def oracle(inputs: Mapping[str, Value | None], attributes: Mapping[str, Any]) -> dict[str, Value]:
    given = {name: value for name, value in inputs.items() if value is not None}
    a, b = given["A"], given["B"]
    flip_a, flip_b = (attributes.get(name, 0) != 0 for name in ("transA", "transB"))
    m, k = a.shape[::-1] if flip_a else a.shape
    n = b.shape[0] if flip_b else b.shape[1]
    alpha = rounded(attributes.get("alpha", 1.0), "float")
    a_zero = given["a_zero_point"].items[0]
    items = []
    for i, j in indices((m, n)):
        b_zero = of_column(given["b_zero_point"], (j,))
        total = third(given.get("C"), (i, j))
        for t in range(k):
            left = a.items[ravel((t, i) if flip_a else (i, t), a.shape)]
            right = b.items[ravel((j, t) if flip_b else (t, j), b.shape)]
            total += (left - a_zero) * (right - b_zero)
        number = rounded(element("int32", total) or 0.0, "float")
        by = times(times(alpha, given["a_scale"].items[0]), of_column(given["b_scale"], (j,)))
        if "y_scale" not in given:
            items.append(times(number, by))
            continue
        zero = given["y_zero_point"]
        number = times(number, over(by, given["y_scale"].items[0]))
        items.append(limited(number, zero.items[0], zero.type))
    type = given["y_zero_point"].type if "y_zero_point" in given else "float"
    return {"Y": Value(type, (m, n), tuple(items))}


def third(c: Value | None, index: tuple[int, int]) -> int:
    """The element of C that is added; its axes are the last ones, or 1."""
    if c is None:
        return 0
    own = index[2 - len(c.shape) :]
    found: int = c.items[
        ravel([0 if dim == 1 else i for i, dim in zip(own, c.shape, strict=True)], c.shape)
    ]
    return found
