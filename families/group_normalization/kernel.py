"""The NumPy kernel of normalised groups of channels."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from opmill._runtime.kernels.normalize import mean_and_variance, stashed


def compute(
    X: NDArray[Any],
    scale: NDArray[Any],
    B: NDArray[Any],
    Y: NDArray[Any],
    *,
    groups: int,
    scales: int,
    epsilon: float,
    stash: int,
) -> None:
    """Write ``X``, each group of an instance normalised, to ``Y``; ``scales`` are an instance's."""
    if Y.size == 0:
        return
    with np.errstate(all="ignore"):  # infinities and NaNs are legal
        lines = stashed(X, stash).reshape(X.shape[0], groups, scales // groups, -1)
        mean, variance = mean_and_variance(lines, (2, 3))
        shape = (groups, scales // groups, 1)
        factors = scale.astype(np.float64).reshape(shape)
        biases = B.astype(np.float64).reshape(shape)
        result = (lines - mean) / np.sqrt(variance + epsilon) * factors + biases
        Y[...] = result.astype(Y.dtype).reshape(Y.shape)
