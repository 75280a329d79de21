"""Arithmetic on quantized numbers that several kernels share.

Products of 8-bit integers are summed as doubles, which hold them exactly: one is below 2^16, so
that 2^37 of them fit 53 bits. NumPy multiplies matrices of doubles with BLAS, of integers slowly.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from opmill._runtime.kernels.conversion import converted

Array = NDArray[Any]


def whole(x: Array, zero_point: Array | None) -> Array:
    """The integers less their zero points, as doubles."""
    numbers = x.astype(np.float64)
    if zero_point is not None:
        numbers -= zero_point.astype(np.float64)
    return numbers


def per_row(values: Array) -> Array:
    """A vector of one value for each row, as a column, which is broadcast to a matrix."""
    return values.reshape(-1, 1) if values.ndim == 1 and values.size != 1 else values


def per_map(values: Array, rank: int) -> Array:
    """One value for all maps, or for each, along the first axis of a tensor of some rank."""
    return values.reshape(-1, *[1] * (rank - 1))


def wrapped(sums: Array) -> NDArray[np.int32]:
    """Exact sums as int32, which wrap around."""
    narrow: NDArray[np.int32] = np.asarray(sums).astype(np.int64).astype(np.int32)
    return narrow


def requantized(sums: Array, factors: Array, zero_point: Array, dtype: np.dtype[Any]) -> Array:
    """Sums times factors, in float32, as numbers of 8 bits, moved by the zero point.

    Integers are the nearest, ties to even, before they are moved, and limited to the type; NaN is
    the lowest. Floats are moved, then rounded; the largest number is the limit.
    """
    with np.errstate(all="ignore"):
        scaled = sums.astype(np.float32) * factors.astype(np.float32)
        if dtype.kind not in "iu":
            zero = zero_point.reshape(()).astype(np.float32)
            return converted(scaled if zero == 0 else scaled + zero, dtype)
        limits = np.iinfo(dtype)
        point = int(zero_point.reshape(()))
        lowest = limits.min - point
        limited = np.clip(np.rint(scaled), lowest, limits.max - point)
        numbers = np.where(np.isnan(limited), lowest, limited).astype(np.int32) + point
    narrow: Array = np.asarray(numbers).astype(dtype)
    return narrow


def rescaled(part: Array, scale: Array, zero: Array, to_scale: Array, to_zero: Array) -> Array:
    """Elements of 8 bits with another scale and zero point; unchanged where both are their own."""
    scale, zero, to_scale, to_zero = (one.reshape(()) for one in (scale, zero, to_scale, to_zero))
    if scale == to_scale and zero == to_zero:
        return part
    limits = np.iinfo(part.dtype)
    codes = np.arange(limits.min, limits.max + 1)
    with np.errstate(all="ignore"):  # infinities and NaN are legal on the way
        numbers = (codes - int(zero)).astype(np.float32) * np.float32(scale)
        result = np.rint(numbers / np.float32(to_scale)) + int(to_zero)
    result = np.where(np.isnan(result), limits.min, result)
    table = np.clip(result, limits.min, limits.max).astype(part.dtype)
    elements: Array = table[part.astype(np.intp) - limits.min]
    return elements


def quantized_dynamically(x: Array) -> tuple[Array, Array, Array]:
    """Floats as uint8, with the scale and the zero point of their range, which includes 0."""
    zero, highest = np.float32(0), np.float32(255)
    with np.errstate(all="ignore"):
        low, high = (np.min(x), np.max(x)) if x.size else (zero, zero)
        low, high = np.minimum(low, zero) + zero, np.maximum(high, zero) + zero
        scale = np.float32(1) if low == high else (high - low) / highest
        point = _byte(zero - low / scale)
        return _byte(x / scale, float(point)), np.asarray(scale), np.asarray(point)


def _byte(x: Array | np.floating[Any], added: float = 0) -> Array:
    """The nearest integers, ties to even, from 0 to 255; NaN is 0."""
    limited = np.clip(np.rint(x), -added, 255 - added) + np.float32(added)
    return np.where(np.isnan(limited), np.float32(0), limited).astype(np.uint8)
