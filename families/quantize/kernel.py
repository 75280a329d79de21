"""The NumPy kernel of the family quantize."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
from numpy.typing import NDArray

from opmill._runtime.kernels.conversion import NARROW_INTEGERS, converted, is_whole
from opmill._runtime.kernels.scales import spread

Array = NDArray[Any]

_QUOTIENTS = {
    "float": np.dtype(np.float32),
    "float16": np.dtype(np.float16),
    "bfloat16": np.dtype(ml_dtypes.bfloat16),
    "double": np.dtype(np.float64),
}


def compute(
    x: Array,
    y_scale: Array,
    y_zero_point: Array | None,
    y: Array,
    *,
    axis: int,
    block: int,
    quotient: str,
    saturate: bool,
) -> None:
    """Fill ``y`` with x / y_scale + y_zero_point, rounded to its type.

    Args:
        x: the numbers to quantize.
        y_scale: the scales.
        y_zero_point: the zero points, of the type of ``y``; 0 where ``None``.
        y: the result.
        axis: the axis along which scales differ; -1 where there is one for all.
        block: how many elements along the axis share a scale; 0 where each index has its own.
        quotient: the type in which the quotients are rounded.
        saturate: whether a float8 out of range becomes the largest number.
    """
    dtype = _QUOTIENTS[quotient]
    with np.errstate(all="ignore"):
        scales = converted(spread(y_scale, x.shape, axis, block), dtype)
        quotients = _wide(converted(x, dtype)) / _wide(scales)
        quotients = _wide(converted(quotients, dtype))
        zeros = None
        if y_zero_point is not None:
            wide = np.int32 if is_whole(y.dtype) else quotients.dtype
            zeros = spread(y_zero_point.astype(wide), x.shape, axis, block)
        if is_whole(y.dtype):
            y[...] = _rounded(quotients, zeros, y.dtype)
        else:
            if zeros is not None:
                moved = _wide(converted(quotients + zeros, dtype))
                quotients = np.where(zeros == 0, quotients, moved)
            y[...] = converted(quotients, y.dtype, saturate)


def _wide(x: Array) -> Array:
    """The 16-bit floats as float32, in which NumPy divides them and rounds the result once."""
    return x if x.itemsize >= 4 else x.astype(np.float32)


def _rounded(quotients: Array, zeros: Array | None, dtype: np.dtype[Any]) -> Array:
    """Round quotients to nearest, ties to even, and saturate; NaN becomes the type's minimum."""
    bits, signed = NARROW_INTEGERS.get(dtype, (8 * dtype.itemsize, dtype.kind == "i"))
    low = -(2 ** (bits - 1)) if signed else 0
    high = low + 2**bits - 1
    lowest, highest = (low, high) if zeros is None else (low - zeros, high - zeros)
    limited = np.clip(np.rint(quotients), lowest, highest)
    whole = np.where(np.isnan(limited), lowest, limited).astype(np.int32)
    if zeros is not None:
        whole += zeros
    narrow: Array = whole.astype(dtype)
    return narrow
