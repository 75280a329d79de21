"""Indices that are data: copied, checked as a whole, and counted from the front."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from opmill._runtime.errors import ContentsError
from opmill._runtime.rule_support import listed
from opmill._runtime.types import Array


def positions(indices: Array, size: int, axis: int) -> Array:
    """A copy as int64, in which a negative index is counted from the front.

    Args:
        indices: of int32 or int64.
        size: of the axis that they select from.
        axis: its number, for messages.

    Raises:
        ContentsError: an index is out of range; the first one is named.
    """
    found = np.array(indices, np.int64, order="C")
    outside = (found < -size) | (found >= size)
    if outside.any():
        _refuse(found, outside, size, axis)
    found[found < 0] += size
    return found


def tuple_positions(indices: Array, sizes: Sequence[int], axis: int) -> list[Array]:
    """Return ``positions`` for each component of index tuples, which are the last axis.

    Args:
        indices: of int64; the last axis has a component for each of the sizes.
        sizes: of the axes that they select from.
        axis: the first of these axes, for messages.

    Raises:
        ContentsError: an index is out of range; the first one in row-major order is named.
    """
    found = np.array(indices, np.int64, order="C")
    limits = np.array(sizes, np.int64)
    outside = (found < -limits) | (found >= limits)
    if outside.any():
        component = int(np.argmax(outside.reshape(-1))) % len(sizes)
        _refuse(found, outside, sizes[component], axis + component)
    found += np.where(found < 0, limits, 0)
    return [found[..., k] for k in range(len(sizes))]


def _refuse(found: Array, outside: Array, size: int, axis: int) -> None:
    index = np.unravel_index(int(np.argmax(outside)), found.shape)
    shown = listed([int(i) for i in index]) if found.ndim else ""
    expected = f"{-size} to {size - 1}" if size else "no index (the axis is empty)"
    raise ContentsError(
        f"indices{shown} = {int(found[index])} is out of range for axis {axis} of data, "
        f"expected {expected}"
    )


def movable(array: Array) -> Array:
    """A view that NumPy moves fast: the types of ml_dtypes as integers of their size."""
    return array.view(f"u{array.itemsize}") if array.dtype.kind == "V" else array
