"""Reference of ArrayFeatureExtractor: each element of the output is looked up by itself."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from opmill_checks.contents import RefusedContents
from opmill_checks.value import Value


def oracle(inputs: Mapping[str, Value], attributes: Mapping[str, Any]) -> dict[str, Value]:
    x, y = inputs["X"], inputs["Y"]
    size = x.shape[-1]
    for position, index in enumerate(y.items):
        if index not in range(size):
            expected = f"0 to {size - 1}" if size else "no index (the axis is empty)"
            reason = f" = {index} is out of range for axis {len(x.shape) - 1} of X, expected "
            raise RefusedContents(position, reason + expected)
    rows = 1
    for dim in x.shape[:-1]:
        rows *= dim
    shape = (*(x.shape[:-1] or (1,)), len(y.items))
    return {"Z": x.take(shape, [row * size + index for row in range(rows) for index in y.items])}
