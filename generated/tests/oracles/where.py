"""Slow reference of Where: each element is looked up in the input that it comes from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from opmill_checks.indices import indices, ravel
from opmill_checks.value import Value, bits_of


def oracle(inputs: Mapping[str, Value], attributes: Mapping[str, Any]) -> dict[str, Value]:
    condition, x, y = inputs["condition"], inputs["X"], inputs["Y"]
    rank = max(len(value.shape) for value in (condition, x, y))
    aligned = [(1,) * (rank - len(v.shape)) + v.shape for v in (condition, x, y)]
    shape = [next((dim for dim in dims if dim != 1), 1) for dims in zip(*aligned, strict=True)]

    def position(index: tuple[int, ...], dims: tuple[int, ...]) -> int:
        return ravel([0 if dim == 1 else i for i, dim in zip(index, dims, strict=True)], dims)

    found = []
    for index in indices(shape):
        holds = condition.items[position(index, aligned[0])]
        found.append(
            (x, position(index, aligned[1])) if holds else (y, position(index, aligned[2]))
        )
    items = tuple(value.items[k] for value, k in found)
    if x.bits is None and y.bits is None:
        return {"output": Value(x.type, tuple(shape), items)}
    patterns = {id(value): bits_of(value.to_array()) for value in (x, y)}
    bits = tuple(patterns[id(value)][k] for value, k in found)
    return {"output": Value(x.type, tuple(shape), items, bits)}
