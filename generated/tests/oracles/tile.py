"""What Tile-6 and Tile-13 compute, slowly: copies of the whole input, side by side on each axis."""

from __future__ import annotations

from collections.abc import Mapping

from opmill_checks.indices import indices, ravel
from opmill_checks.value import Value


def oracle(inputs: Mapping[str, Value], attributes: Mapping[str, object]) -> dict[str, Value]:
    source = inputs["input"]
    repeats = inputs["repeats"].items
    shape = tuple(dim * count for dim, count in zip(source.shape, repeats, strict=True))
    positions = []
    for index in indices(shape):
        origin = [i % dim for i, dim in zip(index, source.shape, strict=True)]
        positions.append(ravel(origin, source.shape))
    return {"output": source.take(shape, positions)}
