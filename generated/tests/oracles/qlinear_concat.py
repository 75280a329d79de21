"""Reference of QLinearConcat, one element at a time; each step is rounded to float."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from opmill_checks.indices import indices, ravel
from opmill_checks.quantized import limited, over, times
from opmill_checks.value import Value


def oracle(inputs: Mapping[str, Any], attributes: Mapping[str, Any]) -> dict[str, Value]:
    given, zero = inputs["inputs"], inputs["Y_zero_point"].items[0]
    scale = inputs["Y_scale"].items[0]
    parts = list(zip(given[::3], given[1::3], given[2::3], strict=True))
    first = parts[0][0]
    axis = attributes["axis"] % len(first.shape)
    shape = list(first.shape)
    shape[axis] = sum(part.shape[axis] for part, _, _ in parts)
    items = []
    for index in indices(shape):
        position, number = list(index), 0
        while position[axis] >= parts[number][0].shape[axis]:
            position[axis] -= parts[number][0].shape[axis]
            number += 1
        part, own_scale, own_zero = parts[number]
        item = part.items[ravel(position, part.shape)]
        if own_scale.items[0] != scale or own_zero.items[0] != zero:
            value = times(float(item - own_zero.items[0]), own_scale.items[0])
            item = limited(over(value, scale), zero, first.type)
        items.append(item)
    return {"Y": Value(first.type, tuple(shape), tuple(items))}
