"""Slow reference of GatherElements: each element is looked up by itself."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from opmill_checks.contents import RefusedContents
from opmill_checks.indices import indices as all_indices
from opmill_checks.indices import ravel
from opmill_checks.value import Value


def oracle(inputs: Mapping[str, Value], attributes: Mapping[str, Any]) -> dict[str, Value]:
    data, given = inputs["data"], inputs["indices"]
    axis = attributes.get("axis", 0) % len(data.shape)
    size = data.shape[axis]
    sources = []
    for position, index in enumerate(all_indices(given.shape)):
        value = given.items[position]
        if not -size <= value < size:
            expected = f"{-size} to {size - 1}" if size else "no index (the axis is empty)"
            raise RefusedContents(
                position, f" = {value} is out of range for axis {axis} of data, expected {expected}"
            )
        sources.append(ravel([*index[:axis], value % size, *index[axis + 1 :]], data.shape))
    return {"output": data.take(given.shape, sources)}
