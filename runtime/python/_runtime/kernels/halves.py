"""float16 and bfloat16, which NumPy's kernels compute as float32 and round once."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np

from opmill._runtime.types import Array

_HALVES = (np.dtype(np.float16), np.dtype(ml_dtypes.bfloat16))


def widened(array: Array) -> Array:
    """The array, as float32 where its elements are float16 or bfloat16."""
    if array.dtype not in _HALVES:
        return array
    wide: np.ndarray[Any, Any] = array.astype(np.float32)
    return wide
