"""The NumPy kernel of elements divided by powers of sums of squares over channels."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from opmill._runtime.kernels.powers import float_power


def compute(
    X: NDArray[Any],
    Y: NDArray[Any],
    *,
    before: int,
    after: int,
    factor: float,
    beta: float,
    bias: float,
) -> None:
    """Write ``X``, divided by the norm of each element's neighbours across channels, to ``Y``."""
    channels = X.shape[1]
    if Y.size == 0:
        return
    with np.errstate(all="ignore"):  # infinities and NaNs are legal
        wide = X.astype(np.float64)
        squares = np.square(wide)
        sums = np.zeros_like(squares)
        for offset in range(max(-before, 1 - channels), min(after, channels - 1) + 1):
            low, high = max(0, -offset), min(channels, channels - offset)
            sums[:, low:high] += squares[:, low + offset : high + offset]
        Y[...] = (wide / float_power(bias + factor * sums, beta)).astype(Y.dtype)
