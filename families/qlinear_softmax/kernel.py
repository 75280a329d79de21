"""The NumPy kernel of QLinearSoftmax."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def compute(
    X: NDArray[Any],
    X_scale: NDArray[Any],
    y_scale: NDArray[Any],
    y_zero_point: NDArray[Any],
    Y: NDArray[Any],
    *,
    begin: int,
    end: int,
) -> None:
    """Write the rounded shares to ``Y``; sums are of doubles."""
    if X.size == 0:
        return
    limits, axes = np.iinfo(Y.dtype), tuple(range(begin, end))
    with np.errstate(all="ignore"):  # infinities and NaN are legal on the way
        parts = np.floor(np.float32(1) / y_scale.reshape(()).astype(np.float32))
        number = X.astype(np.float64)
        scaled = (number - number.max(axis=axes, keepdims=True)) * X_scale.reshape(())
        powers = np.exp(scaled)
        result = powers * (np.float64(parts) / powers.sum(axis=axes, keepdims=True))
    result = np.where(
        np.isnan(result), limits.min, np.floor(result + 0.5) + int(y_zero_point.reshape(()))
    )
    Y[...] = np.clip(result, limits.min, limits.max).astype(Y.dtype)
