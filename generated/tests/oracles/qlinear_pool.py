"""Slow reference of QLinearAveragePool: every window, element by element."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping
from typing import Any

from opmill_checks.indices import indices, ravel
from opmill_checks.pooled import windows
from opmill_checks.quantized import limited, over, times
from opmill_checks.rounding import rounded
from opmill_checks.value import Value


def oracle(inputs: Mapping[str, Value | None], attributes: Mapping[str, Any]) -> dict[str, Value]:
    x = inputs["X"]
    assert x is not None
    is_last = attributes.get("channels_last", 0) != 0
    first = 1 if is_last else 2
    shape = x.shape[first : first + len(x.shape) - 2]
    axes = [list(windows(axis, dim, attributes, True)) for axis, dim in enumerate(shape)]
    channels = x.shape[-1] if is_last else x.shape[1]
    size = tuple(map(len, axes))
    dims = (x.shape[0], *size, channels) if is_last else (x.shape[0], channels, *size)
    scale, to_scale = (number(inputs[f"{side}_scale"]) for side in "xy")
    zero, to_zero = (int(number(inputs.get(f"{side}_zero_point"))) for side in "xy")
    items = []
    for index in indices(dims):
        window = [axes[k][index[first + k]] for k in range(len(shape))]
        terms = [
            x.items[ravel((*index[:first], *position, *index[first + len(shape) :]), x.shape)]
            - zero
            for position in itertools.product(*(inside for inside, _ in window))
        ]
        every = math.prod(count for _, count in window)
        count = every if attributes.get("count_include_pad", 0) else len(terms)
        total = rounded(sum(terms) or 0.0, "float")
        value = over(times(over(total, float(count)), scale), to_scale)
        items.append(limited(value, to_zero, x.type))
    return {"Y": Value(x.type, dims, tuple(items))}


def number(value: Value | None) -> Any:
    return 0 if value is None else value.items[0]
