"""Slow reference of Transpose: each element of the output is looked up in the input."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from opmill_checks.indices import indices, ravel
from opmill_checks.value import Value


def oracle(inputs: Mapping[str, Value], attributes: Mapping[str, Any]) -> dict[str, Value]:
    data = inputs["data"]
    rank = len(data.shape)
    perm = attributes.get("perm", list(reversed(range(rank))))
    shape = [data.shape[axis] for axis in perm]
    positions = []
    for index in indices(shape):
        origin = [0] * rank
        for axis, position in zip(perm, index, strict=True):
            origin[axis] = position
        positions.append(ravel(origin, data.shape))
    return {"transposed": data.take(shape, positions)}
