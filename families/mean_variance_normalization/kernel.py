"""The NumPy kernel of normalisation along any axes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from opmill._runtime.kernels.normalize import mean_and_variance

_MIN_DEVIATION = 1e-9
"""Added to a deviation, so that it is not 0."""


def compute(X: NDArray[Any], Y: NDArray[Any], *, reduces: Sequence[int]) -> None:
    """Write ``X``, normalised along the axes that ``reduces`` marks by 1, to ``Y``."""
    if Y.size == 0:
        return
    axes = tuple(axis for axis, marked in enumerate(reduces) if marked)
    with np.errstate(all="ignore"):  # infinities and NaNs are legal
        wide = X.astype(np.float64)
        mean, variance = mean_and_variance(wide, axes)
        Y[...] = ((wide - mean) / (np.sqrt(variance) + _MIN_DEVIATION)).astype(Y.dtype)
