"""Reference of QLinearWhere, one element at a time; each step is rounded to float."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from opmill_checks.indices import indices, ravel
from opmill_checks.quantized import limited, over, times
from opmill_checks.value import Value


def oracle(inputs: Mapping[str, Value], attributes: Mapping[str, Any]) -> dict[str, Value]:
    three = [inputs[name] for name in ("condition", "X", "Y")]
    rank = max(len(value.shape) for value in three)
    aligned = [(1,) * (rank - len(value.shape)) + value.shape for value in three]
    shape = tuple(next((d for d in dims if d != 1), 1) for dims in zip(*aligned, strict=True))
    items = []
    for index in indices(shape):
        holds, x, y = (
            value.items[
                ravel([0 if dim == 1 else i for i, dim in zip(index, dims, strict=True)], dims)
            ]
            for value, dims in zip(three, aligned, strict=True)
        )
        items.append(requantised(x, "x", inputs) if holds else requantised(y, "y", inputs))
    return {"Z": Value(inputs["X"].type, shape, tuple(items))}


def requantised(item: int, side: str, inputs: Mapping[str, Value]) -> int:
    """An element of a side, quantised again as the result is; as it is, where that is the same."""
    scale, zero = (inputs[f"{side}_{what}"].items[0] for what in ("scale", "zero_point"))
    to_scale, to_zero = (inputs[f"z_{what}"].items[0] for what in ("scale", "zero_point"))
    if (scale, zero) == (to_scale, to_zero):
        return item
    return limited(over(times(float(item - zero), scale), to_scale), to_zero, inputs["X"].type)
