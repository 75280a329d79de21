"""Slow reference of Conv: each output is an exact sum over its window, rounded once."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from opmill_checks.indices import indices, ravel
from opmill_checks.rounding import rounded
from opmill_checks.sums import plus, total_of
from opmill_checks.value import Value


def oracle(inputs: Mapping[str, Value | None], attributes: Mapping[str, Any]) -> dict[str, Value]:
    x, w, b = inputs["X"], inputs["W"], inputs.get("B")
    if x is None or w is None:
        raise ValueError("X and W are required")
    shape, sums = totals(x, w, attributes)
    items = []
    for index, total in zip(indices(shape), sums, strict=True):
        items.append(rounded(total if b is None else plus(total, b.items[index[1]]), x.type))
    return {"Y": Value(x.type, shape, tuple(items))}


def totals(
    x: Value, w: Value, attributes: Mapping[str, Any]
) -> tuple[tuple[int, ...], Iterator[Any]]:
    """The shape of the output and the exact sum of each of its elements."""
    sizes, begins = geometry(x.shape[2:], w.shape[2:], attributes)
    rank = len(sizes)
    strides = attributes.get("strides", [1] * rank)
    dilations = attributes.get("dilations", [1] * rank)
    group = attributes.get("group", 1)
    shape = (x.shape[0], w.shape[0], *sizes)

    def pairs(n: int, m: int, o: Sequence[int]) -> Iterator[tuple[Any, Any]]:
        first = m // (w.shape[0] // group) * w.shape[1]
        for c, *tap in indices(w.shape[1:]):
            at = [o[a] * strides[a] + tap[a] * dilations[a] - begins[a] for a in range(rank)]
            inside = all(0 <= at[a] < x.shape[2 + a] for a in range(rank))
            element = x.items[ravel((n, first + c, *at), x.shape)] if inside else 0
            yield element, w.items[ravel((m, c, *tap), w.shape)]

    return shape, (total_of(pairs(n, m, o)) for n, m, *o in indices(shape))


def geometry(
    x_shape: Sequence[int], w_shape: Sequence[int], attributes: Mapping[str, Any]
) -> tuple[list[int], list[int]]:
    """The output's spatial shape, and how much each axis is padded at the beginning."""
    rank = len(x_shape)
    strides = attributes.get("strides", [1] * rank)
    dilations = attributes.get("dilations", [1] * rank)
    pads = attributes.get("pads", [0] * (2 * rank))
    auto_pad = attributes.get("auto_pad", "NOTSET")
    sizes, begins = [], []
    for axis in range(rank):
        kernel = (w_shape[axis] - 1) * dilations[axis] + 1
        if auto_pad.startswith("SAME"):
            size = math.ceil(x_shape[axis] / strides[axis])
            missing = max(0, (size - 1) * strides[axis] + kernel - x_shape[axis])
            begin = missing // 2 if auto_pad == "SAME_UPPER" else missing - missing // 2
        else:
            begin = pads[axis]
            padded = x_shape[axis] + begin + pads[rank + axis]
            size = math.floor((padded - kernel) / strides[axis]) + 1
        sizes.append(size)
        begins.append(begin)
    return sizes, begins
