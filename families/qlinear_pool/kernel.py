"""The NumPy kernel of QLinearAveragePool: sums along one axis after the other, of integers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from opmill._runtime.kernels.quantized import requantized

Array = NDArray[Any]


def compute(
    X: Array,
    x_scale: Array,
    x_zero_point: Array | None,
    y_scale: Array,
    y_zero_point: Array | None,
    Y: Array,
    *,
    kernel: Sequence[int],
    strides: Sequence[int],
    begin: Sequence[int],
    counted: Sequence[int],
    channels_last: bool,
) -> None:
    """Write the means of all windows to ``Y``, quantised; each step is one of float."""
    if not Y.size:
        return
    if channels_last:
        X, out = np.moveaxis(X, -1, 1), np.moveaxis(Y, -1, 1)
    else:
        out = Y
    zero = 0 if x_zero_point is None else int(x_zero_point.reshape(()))
    sums = X.astype(np.int64) - zero
    count: Array = np.ones((), np.int64)
    n = len(kernel)
    for k in range(n):
        length, extent = X.shape[k + 2], out.shape[k + 2]
        first = np.arange(extent, dtype=np.int64) * strides[k] - begin[k]
        sums = _summed(
            sums, k + 2, np.clip(first, 0, length), np.clip(first + kernel[k], 0, length)
        )
        before, after = -counted[k], length + counted[n + k]
        own = np.clip(first + kernel[k], before, after) - np.clip(first, before, after)
        count = count[..., np.newaxis] * own
    to_zero = np.zeros((), Y.dtype) if y_zero_point is None else y_zero_point
    with np.errstate(all="ignore"):  # infinities and NaN are legal on the way
        means = sums.astype(np.float32) / count.astype(np.float32)
        numbers = means * x_scale.reshape(()) / y_scale.reshape(())
    out[...] = requantized(numbers, np.ones((), np.float32), to_zero, Y.dtype)


def _summed(x: Array, axis: int, low: Array, high: Array) -> Array:
    """The sums of the elements from low to high - 1 along an axis, for each pair of these."""
    shape = (*x.shape[:axis], 1, *x.shape[axis + 1 :])
    totals = np.concatenate([np.zeros(shape, x.dtype), np.cumsum(x, axis)], axis)
    difference: Array = np.take(totals, high, axis) - np.take(totals, low, axis)
    return difference
