"""Shifts of integers by any number of bits."""

from __future__ import annotations

import numpy as np

from opmill._runtime.types import Array


def shifted(a: Array, b: Array, leftward: float) -> Array:
    """a with its bits moved by b positions.

    Where b is below 0 or not below the number of a's bits, nothing but copies of the sign is left.
    """
    within = (b >= 0) & (b < 8 * a.dtype.itemsize)
    counts = np.where(within, b, 0).astype(a.dtype)
    moved: Array = np.left_shift(a, counts) if leftward else np.right_shift(a, counts)
    beyond = np.where(a < 0, 0 if leftward else -1, 0).astype(a.dtype)
    result: Array = np.where(within, moved, beyond)
    return result
