"""Slow reference of ScatterND: one element of the updates after the other."""

from __future__ import annotations

from collections.abc import Mapping
from math import prod
from typing import Any

from opmill_checks.contents import RefusedContents
from opmill_checks.indices import indices as all_indices
from opmill_checks.indices import ravel
from opmill_checks.scattering import scattered
from opmill_checks.value import Value


def oracle(inputs: Mapping[str, Value], attributes: Mapping[str, Any]) -> dict[str, Value]:
    data, given = inputs["data"], inputs["indices"]
    width = given.shape[-1]
    sizes, rest = data.shape[:width], data.shape[width:]
    for position, value in enumerate(given.items):
        size, axis = sizes[position % width], position % width
        if not -size <= value < size:
            expected = f"{-size} to {size - 1}" if size else "no index (the axis is empty)"
            raise RefusedContents(
                position, f" = {value} is out of range for axis {axis} of data, expected {expected}"
            )
    positions = []
    if 0 not in rest:
        for row in range(prod(given.shape[:-1])):
            values = given.items[row * width : (row + 1) * width]
            head = [value % size for value, size in zip(values, sizes, strict=True)]
            positions += [ravel([*head, *index], data.shape) for index in all_indices(rest)]
    reduction = attributes.get("reduction", "none")
    return {"output": scattered(data, positions, inputs["updates"], reduction)}
