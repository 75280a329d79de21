"""Slow reference of Gather and GatherND: each element of the output is looked up by itself."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from opmill_checks.contents import RefusedContents
from opmill_checks.indices import indices as all_indices
from opmill_checks.indices import ravel
from opmill_checks.value import Value


def oracle(
    inputs: Mapping[str, Value], attributes: Mapping[str, Any], *, defaults: Mapping[str, Any]
) -> dict[str, Value]:
    data, given = inputs["data"], inputs["indices"]
    if "axis" in defaults:  # Gather, whose indices each stand for one position
        first = attributes.get("axis", 0) % len(data.shape)
        head, width = data.shape[:first], 1
        tuples, shared = given.shape, False
    else:
        first = attributes.get("batch_dims", 0)
        head, width = data.shape[:first], given.shape[-1]
        tuples, shared = given.shape[first:-1], True
    sizes = data.shape[first : first + width]
    for position, value in enumerate(given.items):
        size = sizes[position % width]
        if not -size <= value < size:
            expected = f"{-size} to {size - 1}" if size else "no index (the axis is empty)"
            axis = first + position % width
            raise RefusedContents(
                position, f" = {value} is out of range for axis {axis} of data, expected {expected}"
            )
    tail = data.shape[first + width :]
    shape = head + tuples + tail
    sources = []
    for index in all_indices(shape):
        batch, rest = index[:first], index[first:]
        which, inner = rest[: len(tuples)], rest[len(tuples) :]
        row = (*batch, *which) if shared else which
        begin = ravel(row, head + tuples if shared else tuples) * width
        values = given.items[begin : begin + width]
        selected = [value % size for value, size in zip(values, sizes, strict=True)]
        sources.append(ravel([*batch, *selected, *inner], data.shape))
    return {"output": data.take(shape, sources)}
