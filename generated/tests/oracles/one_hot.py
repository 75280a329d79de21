"""Slow reference of OneHot: each element of the output compares its position with an index."""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite, trunc
from typing import Any

from opmill_checks.indices import indices as all_indices
from opmill_checks.indices import ravel
from opmill_checks.value import Value


def oracle(
    inputs: Mapping[str, Value], attributes: Mapping[str, Any], *, negative_indices: bool
) -> dict[str, Value]:
    given, values = inputs["indices"], inputs["values"]
    depth = trunc(inputs["depth"].items[0])
    axis = attributes.get("axis", -1)
    axis += len(given.shape) + 1 if axis < 0 else 0
    shape = (*given.shape[:axis], depth, *given.shape[axis:])
    wanted = [trunc(item) if isfinite(item) else None for item in given.items]
    positions = []
    for index in all_indices(shape):
        position = wanted[ravel((*index[:axis], *index[axis + 1 :]), given.shape)]
        here = (index[axis], index[axis] - depth) if negative_indices else (index[axis],)
        positions.append(1 if position in here else 0)
    return {"output": values.take(shape, positions)}
