"""The NumPy kernel of Det: all matrices are eliminated together, in double."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def compute(X: NDArray[Any], Y: NDArray[Any]) -> None:
    """Write the determinants; a pivot is the first NaN of a column, else the largest element."""
    if Y.size == 0:
        return
    size = X.shape[-1]
    with np.errstate(all="ignore"):  # infinities and NaNs are legal
        rows = np.array(X, np.float64).reshape(Y.size, size, size)
        each = np.arange(rows.shape[0])
        fraction, exponent = np.ones(rows.shape[0]), np.zeros(rows.shape[0], np.int64)
        for k in range(size):
            pivot = k + np.argmax(np.abs(rows[:, k:, k]), axis=1)
            chosen = rows[each, pivot]
            rows[each, pivot] = rows[:, k]
            rows[:, k] = chosen
            value, power = np.frexp(chosen[:, k])
            fraction, more = np.frexp(np.where(pivot != k, -fraction, fraction) * value)
            exponent += power.astype(np.int64) + more
            factors = rows[:, k + 1 :, k] / chosen[:, np.newaxis, k]
            less = factors[..., np.newaxis] * chosen[:, np.newaxis, k + 1 :]
            less[chosen[:, k] == 0] = 0  # nothing is left to be eliminated
            rows[:, k + 1 :, k + 1 :] -= less
        result = np.ldexp(fraction, np.clip(exponent, -5000, 5000).astype(np.int32))
        result[result == 0] = 0  # never -0
        Y[...] = result.reshape(Y.shape).astype(Y.dtype)
