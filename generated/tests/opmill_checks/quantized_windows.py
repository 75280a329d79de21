"""Convolutions of quantized numbers: the pairs that each output multiplies, by ONNX's formulas."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from opmill_checks.indices import indices, ravel
from opmill_checks.value import Value


def convolved(
    x: Value,
    x_zero: Value | None,
    w: Value,
    w_zero: Value | None,
    attributes: Mapping[str, Any],
) -> tuple[tuple[int, ...], Iterator[tuple[int, int]]]:
    """The shape of the output; the sum of each element, exactly, and its map."""
    sizes, begins = geometry(x.shape[2:], w.shape[2:], attributes)
    rank = len(sizes)
    strides = attributes.get("strides", [1] * rank)
    dilations = attributes.get("dilations", [1] * rank)
    group = attributes.get("group", 1)
    shape = (x.shape[0], w.shape[0], *sizes)
    less = x_zero.items[0] if x_zero is not None else 0

    def total(n: int, m: int, o: Sequence[int]) -> int:
        first = m // (w.shape[0] // group) * w.shape[1]
        weight_less = 0
        if w_zero is not None:
            weight_less = w_zero.items[m if len(w_zero.items) > 1 else 0]
        found = 0
        for c, *tap in indices(w.shape[1:]):
            at = [o[a] * strides[a] + tap[a] * dilations[a] - begins[a] for a in range(rank)]
            if all(0 <= at[a] < x.shape[2 + a] for a in range(rank)):
                element = x.items[ravel((n, first + c, *at), x.shape)] - less
                found += element * (w.items[ravel((m, c, *tap), w.shape)] - weight_less)
        return found

    return shape, ((total(n, m, o), m) for n, m, *o in indices(shape))


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


def channels_moved(value: Value, to: int) -> Value:
    """The elements with their channels as axis 1, where they were the last axis, or the reverse."""
    rank = len(value.shape)
    order = [0, rank - 1, *range(1, rank - 1)] if to == 1 else [0, *range(2, rank), 1]
    shape = tuple(value.shape[axis] for axis in order)
    sources = []
    for index in indices(shape):
        position = [0] * rank
        for axis, i in zip(order, index, strict=True):
            position[axis] = i
        sources.append(ravel(position, value.shape))
    return value.take(shape, sources)
