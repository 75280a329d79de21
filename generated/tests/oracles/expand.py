"""Slow reference of Expand: the input broadcast with a shape, in both directions."""

from __future__ import annotations

from collections.abc import Mapping

from opmill_checks.indices import indices, ravel
from opmill_checks.value import Value


def oracle(inputs: Mapping[str, Value], attributes: Mapping[str, object]) -> dict[str, Value]:
    source = inputs["input"]
    target = inputs["shape"].items
    rank = max(len(source.shape), len(target))
    a = (1,) * (rank - len(source.shape)) + source.shape
    b = (1,) * (rank - len(target)) + target
    shape = tuple(q if p == 1 else p for p, q in zip(a, b, strict=True))
    positions = []
    for index in indices(shape):
        origin = [0 if dim == 1 else i for i, dim in zip(index, a, strict=True)]
        positions.append(ravel(origin, a))
    return {"output": source.take(shape, positions)}
