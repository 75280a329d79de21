"""Rows, one after the other, in Python's floats."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from opmill_checks.indices import indices, ravel
from opmill_checks.moments import mean, mean_square, quotient, root
from opmill_checks.rounding import attribute_value, rounded
from opmill_checks.value import Value

TYPES = {1: "float", 10: "float16", 11: "double", 16: "bfloat16"}


def oracle(
    inputs: Mapping[str, Value | None],
    attributes: Mapping[str, Any],
    *,
    centered: bool,
    gives_deviation: bool,
    defaults: Mapping[str, Any],
) -> dict[str, Value]:
    given = {**defaults, **attributes}
    x, scale, bias = inputs["X"], inputs.get("Scale") or inputs.get("scale"), inputs.get("B")
    assert x is not None
    assert scale is not None
    axis = given["axis"] % len(x.shape)
    rows, length = math.prod(x.shape[:axis]), math.prod(x.shape[axis:])
    stash, epsilon = TYPES[given["stash_type"]], attribute_value(given["epsilon"])
    read = x.type if gives_deviation else stash  # SimplifiedLayerNormalization rounds no element
    scales, biases = broadcast(scale, x), broadcast(bias, x)
    items, means, factors = [], [], []
    for row in range(rows):
        positions = range(row * length, (row + 1) * length)
        line = [rounded(x.items[position], read) for position in positions]
        center = mean(line) if centered else 0.0
        deviation = root(mean_square(line, center) + epsilon)
        means.append(rounded(center, stash))
        factors.append(rounded(quotient(1.0, deviation), stash))
        for position, number in zip(positions, line, strict=True):
            result = (number - center) * quotient(1.0, deviation) * scales[position]
            items.append(rounded(result if bias is None else result + biases[position], scale.type))
    shape = x.shape[:axis] + (1,) * (len(x.shape) - axis)
    result = {"Y": Value(scale.type, x.shape, tuple(items))}
    if centered:
        result["Mean"] = Value(stash, shape, tuple(means))
        result["InvStdDev"] = Value(stash, shape, tuple(factors))
    elif gives_deviation:
        result["inv_std_var"] = Value(stash, shape, tuple(factors))
    return result


def broadcast(value: Value | None, x: Value) -> list[float]:
    """An element for each of x; none where the value is absent."""
    if value is None:
        return []
    skipped = len(x.shape) - len(value.shape)
    positions = (
        [0 if dim == 1 else at for at, dim in zip(index[skipped:], value.shape, strict=True)]
        for index in indices(x.shape)
    )
    return [value.items[ravel(position, value.shape)] for position in positions]
