"""The NumPy kernel of windows: each point is computed from its index, in blocks."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

_BLOCK = 1 << 16


def compute(
    output: NDArray[Any],
    *,
    period: int,
    middle: float,
    first: float,
    second: float,
) -> None:
    """Write the window to ``output``; integers drop the fraction, and take 0 for NaN."""
    whole = output.dtype.kind in "iu"
    if period == 0:  # one point, whose angle is 0 divided by 0
        output[...] = 0 if whole else math.nan
        return
    for at in range(0, output.size, _BLOCK):
        index = np.arange(at, min(at + _BLOCK, output.size), dtype=np.int64)
        near = np.minimum(index, period - index)
        cosine = np.cos(2 * math.pi * (near / period))
        numbers = (second * (2 * cosine * cosine - 1) - first * cosine) + middle
        output[at : at + _BLOCK] = (np.trunc(numbers) if whole else numbers).astype(output.dtype)
