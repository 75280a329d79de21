"""Powers of floats and of integers, and how floats become integers in Pow."""

from __future__ import annotations

from typing import Any

import numpy as np

from opmill._runtime.types import Array


def float_power(x: Any, y: Any) -> Array:
    """x to the power of y, as IEEE 754 defines ``pow``.

    NumPy takes the square root where y is one number, 0.5: then negative infinity gives NaN and -0
    gives -0, where ``pow`` gives infinity and 0.
    """
    power = np.asarray(np.power(x, y))
    half = np.asarray(y) == 0.5
    if half.any():
        special = half & ((x == -np.inf) | (x == 0))
        power = np.where(special, np.abs(x), power)
    return power


def integer_power(x: Array, y: Array) -> Array:
    """x to the power of y modulo 2^64, in uint64.

    Of a negative power the reciprocal is truncated; that of 0 is the least integer of x's type.
    """
    base = x.astype(np.uint64)
    exponent = np.where(y < 0, y & 1, y).astype(np.uint64)  # -1 alternates, 1 stays
    result: Any = np.uint64(1)  # the first product broadcasts it
    while exponent.any():
        result = np.where(exponent & np.uint64(1), result * base, result)
        base = base * base
        exponent = exponent >> np.uint64(1)
    if y.dtype.kind == "u" or not (y < 0).any():
        return np.asarray(result)
    inverse = np.where(np.abs(x) == 1, result, np.uint64(0))
    minimum = np.array(np.iinfo(x.dtype).min).astype(np.uint64)
    inverse = np.where(x == 0, minimum, inverse)
    return np.asarray(np.where(y < 0, inverse, result))


def truncated(power: Array, dtype: np.dtype[Any]) -> Array:
    """The integer part of floats; NaN and what does not fit are the least integer."""
    limit = -float(np.iinfo(dtype).min)
    fits = (power > -limit - 1) & (power < limit) if limit < 2.0**53 else np.abs(power) < limit
    whole = np.where(fits, power, 0).astype(dtype)
    return np.asarray(np.where(fits, whole, np.iinfo(dtype).min))
