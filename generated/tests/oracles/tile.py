"""Slow reference of Tile: copies of the whole input, side by side on each axis.

Version 1 repeats one axis; their number and the axis are tensors of the input's floating type.
"""

from __future__ import annotations

from collections.abc import Mapping

from opmill_checks.indices import indices, ravel
from opmill_checks.value import Value


def oracle(inputs: Mapping[str, Value], attributes: Mapping[str, object]) -> dict[str, Value]:
    source = inputs["input"]
    if "repeats" in inputs:
        repeats = inputs["repeats"].items
    else:
        repeats = [1] * len(source.shape)
        axis = int(inputs["axis"].items[0])  # a negative one counts from the end, as Python's do
        repeats[axis] = int(inputs["tiles"].items[0])
    shape = tuple(dim * count for dim, count in zip(source.shape, repeats, strict=True))
    positions = []
    for index in indices(shape):
        origin = [i % dim for i, dim in zip(index, source.shape, strict=True)]
        positions.append(ravel(origin, source.shape))
    return {"output": source.take(shape, positions)}
