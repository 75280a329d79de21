"""The NumPy kernel of QLinearGlobalAveragePool."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def compute(
    X: NDArray[Any],
    x_scale: NDArray[Any],
    x_zero_point: NDArray[Any],
    y_scale: NDArray[Any],
    y_zero_point: NDArray[Any],
    Y: NDArray[Any],
    *,
    channels_last: bool,
) -> None:
    """Write the quantised means to ``Y``; what follows the sums of integers is float."""
    axes = tuple(range(1, X.ndim - 1) if channels_last else range(2, X.ndim))
    count = int(np.prod([X.shape[axis] for axis in axes], dtype=np.int64))
    sums = X.sum(axis=axes, keepdims=True, dtype=np.int64) - count * int(x_zero_point.reshape(()))
    limits = np.iinfo(Y.dtype)
    with np.errstate(all="ignore"):  # infinities and NaN are legal on the way
        ratio = x_scale.reshape(()) / (y_scale.reshape(()) * np.float32(count))
        result = np.rint(sums.astype(np.float32) * ratio) + np.float32(y_zero_point.reshape(()))
    result = np.where(np.isnan(result), limits.min, result)
    Y[...] = np.clip(result, limits.min, limits.max).astype(Y.dtype)
