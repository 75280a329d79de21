"""Slow reference of Compress: each element is kept or not by its index along the axis."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from opmill_checks.contents import RefusedContents
from opmill_checks.indices import unravel
from opmill_checks.value import Value


def oracle(inputs: Mapping[str, Value], attributes: Mapping[str, Any]) -> dict[str, Value]:
    data, condition = inputs["input"], inputs["condition"]
    shape = list(data.shape)
    axis = attributes.get("axis")
    if axis is None:
        shape, axis = [len(data.items)], 0
    elif axis < 0:
        axis += len(shape)
    selected = [element for element, item in enumerate(condition.items) if item]
    beyond = [element for element in selected if element >= shape[axis]]
    if beyond:
        raise RefusedContents(beyond[0], f"is true, expected false from index {shape[axis]} on")
    positions = [
        position
        for position in range(len(data.items))
        if unravel(position, shape)[axis] in selected
    ]
    shape[axis] = len(selected)
    return {"output": data.take(shape, positions)}
