"""What Tile-1 computes, slowly: whole copies of the input, side by side along one axis.

The number of copies and the axis are tensors of the input's floating type, of one element each.
"""

from __future__ import annotations

from collections.abc import Mapping

from opmill_checks.indices import indices, ravel
from opmill_checks.value import Value


def oracle(inputs: Mapping[str, Value], attributes: Mapping[str, object]) -> dict[str, Value]:
    source = inputs["input"]
    copies = int(inputs["tiles"].items[0])
    axis = int(inputs["axis"].items[0])  # a negative one counts from the end, as Python's do
    shape = list(source.shape)
    shape[axis] *= copies
    positions = []
    for index in indices(shape):
        origin = list(index)
        origin[axis] %= source.shape[axis]
        positions.append(ravel(origin, source.shape))
    return {"output": source.take(shape, positions)}
