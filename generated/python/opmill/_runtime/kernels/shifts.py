"""Shifts of integers by any number of places."""

from __future__ import annotations

import numpy as np

from opmill._runtime.types import Array


def shifted(a: Array, b: Array, leftward: float) -> Array:
    """a with its bits moved by b places.

    Fewer than 0 places, and as many as a has bits or more, leave copies of the sign or nothing.
    """
    within = (b >= 0) & (b < 8 * a.dtype.itemsize)
    places = np.where(within, b, 0).astype(a.dtype)
    moved: Array = np.left_shift(a, places) if leftward else np.right_shift(a, places)
    beyond = np.where(a < 0, 0 if leftward else -1, 0).astype(a.dtype)
    result: Array = np.where(within, moved, beyond)
    return result
