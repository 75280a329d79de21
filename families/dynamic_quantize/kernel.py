"""The NumPy kernel of DynamicQuantizeLinear."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]

_HIGH = np.float32(255)


def compute(x: Array, y: Array, y_scale: Array, y_zero_point: Array) -> None:
    """Write the scale and zero point of the range of ``x`` and 0, and ``x`` quantized with them."""
    zero = np.float32(0)
    with np.errstate(all="ignore"):
        low, high = (np.min(x), np.max(x)) if x.size else (zero, zero)
        low, high = np.minimum(low, zero) + zero, np.maximum(high, zero) + zero
        scale = np.float32(1) if low == high else (high - low) / _HIGH
        point = _limited(zero - low / scale)
        y_scale[...] = scale
        y_zero_point[...] = point
        y[...] = _limited(x / scale, float(point))


def _limited(x: Array | np.floating[Any], added: float = 0) -> Array:
    """The nearest integers, ties to even, from 0 to 255; NaN is 0."""
    limited = np.clip(np.rint(x), -added, 255 - added) + np.float32(added)
    return np.where(np.isnan(limited), np.float32(0), limited).astype(np.uint8)
