"""Slow reference of NonZero: each element in row-major order is looked at by itself."""

from __future__ import annotations

from collections.abc import Mapping

from opmill_checks.indices import unravel
from opmill_checks.value import Value


def oracle(inputs: Mapping[str, Value], attributes: Mapping[str, object]) -> dict[str, Value]:
    source = inputs["X"]
    zero = "" if source.type == "string" else 0
    found = [
        unravel(position, source.shape)
        for position, item in enumerate(source.items)
        if item != zero
    ]
    rank = len(source.shape)
    items = tuple(index[axis] for axis in range(rank) for index in found)
    return {"Y": Value("int64", (rank, len(found)), items)}
