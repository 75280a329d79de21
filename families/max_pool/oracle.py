"""Slow reference of MaxPool: every window of every channel is searched, element by element.

A window's element is the first in row-major order that no other exceeds; a NaN is taken for larger
than any number. A window of nothing but padding has no element: it gives the lowest value of the
type, and -1 for its place.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from typing import Any

from opmill_checks.indices import ravel
from opmill_checks.pooled import windows
from opmill_checks.quantized_windows import channels_moved
from opmill_checks.value import Value, bits_of

LOWEST = {"int8": -128, "uint8": 0}
"""The lowest value of each type; of floating types, minus infinity."""


def oracle(
    inputs: Mapping[str, Value | None],
    attributes: Mapping[str, Any],
    *,
    windows_start_in_input: bool,
) -> dict[str, Value]:
    x = inputs["X"] if "X" in inputs else inputs["x"]
    if x is None:
        raise ValueError("X is required")
    if "x" in inputs:  # its channels are last
        planar = {"X": channels_moved(x, 1)}
        y = oracle(planar, attributes, windows_start_in_input=windows_start_in_input)["Y"]
        return {"y": channels_moved(y, len(y.shape) - 1)}
    shape = x.shape[2:]
    size = math.prod(shape)
    lowest = Value(x.type, (1,), (LOWEST.get(x.type, -math.inf),))
    axes = [
        [inside for inside, _ in windows(axis, shape[axis], attributes, windows_start_in_input)]
        for axis in range(len(shape))
    ]
    positions, numbers = [], []
    for plane in range(x.shape[0] * x.shape[1] if size or all(axes) else 0):
        for window in itertools.product(*axes):
            best = None
            for index in itertools.product(*window):
                position = plane * size + ravel(index, shape)
                if best is None or exceeds(x.items[position], x.items[best]):
                    best = position
            positions.append(best)
            numbers.append(-1 if best is None else numbered(best, plane, shape, attributes))
    dims = (*x.shape[:2], *map(len, axes))
    items = tuple(
        lowest.items[0] if position is None else x.items[position] for position in positions
    )
    bits = None
    if x.bits is not None:
        (empty,) = bits_of(lowest.to_array())
        bits = tuple(empty if position is None else x.bits[position] for position in positions)
    return {
        "Y": Value(x.type, dims, items, bits),
        "Indices": Value("int64", dims, tuple(numbers)),
    }


def exceeds(new: Any, best: Any) -> bool:
    """Return whether an element is taken instead of an earlier one."""
    if best != best:
        return False
    return bool(new != new or new > best)


def numbered(position: int, plane: int, shape: Sequence[int], attributes: Mapping[str, Any]) -> int:
    """The number of an element in Indices: with storage_order, counted column by column."""
    if not attributes.get("storage_order"):
        return position
    size = math.prod(shape)
    rest, number, weight = position - plane * size, 0, 1
    index = []
    for dim in reversed(shape):
        rest, coordinate = divmod(rest, dim)
        index.append(coordinate)
    for coordinate, dim in zip(reversed(index), shape, strict=True):
        number += coordinate * weight
        weight *= dim
    return plane * size + number
