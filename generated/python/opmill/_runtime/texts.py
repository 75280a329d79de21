"""The texts of string arrays, of which NumPy has several kinds."""

from __future__ import annotations

import numpy as np

from opmill._runtime.types import Array


def texts_of(array: Array) -> Array:
    """The array as objects that are ``str``; bytes are UTF-8."""
    made: Array = np.empty(array.shape, object)
    made.reshape(-1)[:] = [
        one.decode("utf-8") if isinstance(one, bytes) else str(one)
        for one in array.reshape(-1).tolist()
    ]
    return made
