"""The NumPy kernel of normalised channels."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from opmill._runtime.kernels.normalize import mean_and_variance


def compute(
    X: NDArray[Any],
    scale: NDArray[Any],
    B: NDArray[Any],
    mean: NDArray[Any],
    var: NDArray[Any],
    Y: NDArray[Any],
    running_mean: NDArray[Any] | None = None,
    running_var: NDArray[Any] | None = None,
    saved_mean: NDArray[Any] | None = None,
    saved_var: NDArray[Any] | None = None,
    *,
    training: bool,
    activations: bool,
    epsilon: float,
    momentum: float,
) -> None:
    """Write ``X``, each channel normalised, to ``Y``, and the statistics to their outputs."""
    channels = scale.size
    with np.errstate(all="ignore"):  # infinities, NaNs and channels without elements are legal
        lines = (
            X.reshape(X.shape[0], channels, 1 if activations else -1)
            if X.size
            else X.reshape((X.shape[0], channels, 0))
        )
        lines = lines.astype(np.float64)
        given = [each.astype(np.float64).reshape(channels, 1) for each in (scale, B, mean, var)]
        factors, biases, center, variance = given
        if training:
            own_mean, own_variance = (
                each.reshape(channels, 1) for each in mean_and_variance(lines, (0, 2))
            )
            for output, running, own in (
                (running_mean, center, own_mean),
                (running_var, variance, own_variance),
            ):
                if output is not None:
                    result = running * momentum + own * (1 - momentum)
                    output[...] = result.astype(output.dtype).reshape(output.shape)
            for output, own in ((saved_mean, own_mean), (saved_var, own_variance)):
                if output is not None:
                    output[...] = own.astype(output.dtype).reshape(output.shape)
            center, variance = own_mean, own_variance
        if Y.size:
            result = (lines - center) / np.sqrt(variance + epsilon) * factors + biases
            Y[...] = result.astype(Y.dtype).reshape(Y.shape)
