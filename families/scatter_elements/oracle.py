"""Slow reference of ScatterElements and Scatter: one update after the other."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from opmill_checks.contents import RefusedContents
from opmill_checks.indices import indices as all_indices
from opmill_checks.indices import ravel
from opmill_checks.scattering import scattered
from opmill_checks.value import Value


def oracle(inputs: Mapping[str, Value], attributes: Mapping[str, Any]) -> dict[str, Value]:
    data, given = inputs["data"], inputs["indices"]
    axis = attributes.get("axis", 0) % len(data.shape)
    size = data.shape[axis]
    positions = []
    for position, index in enumerate(all_indices(given.shape)):
        value = given.items[position]
        if not -size <= value < size:
            expected = f"{-size} to {size - 1}" if size else "no index (the axis is empty)"
            raise RefusedContents(
                position, f" = {value} is out of range for axis {axis} of data, expected {expected}"
            )
        positions.append(ravel([*index[:axis], value % size, *index[axis + 1 :]], data.shape))
    reduction = attributes.get("reduction", "none")
    return {"output": scattered(data, positions, inputs["updates"], reduction)}
