"""The NumPy kernel of lines divided by their norms."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def compute(input: NDArray[Any], output: NDArray[Any], *, axis: int, p: int) -> None:
    """Write ``input``, divided by the norms along an axis, to ``output``."""
    if output.size == 0:
        return
    with np.errstate(all="ignore"):  # infinities and NaNs are legal
        wide = np.asarray(input.astype(np.float64))
        size = np.abs(wide)
        if p == 1:
            norms = size.sum(axis=axis, keepdims=True)
        else:  # squares beside that of the largest neither overflow nor vanish
            largest = size.max(axis=axis, keepdims=True)
            usual = (largest > 2.0**-400) & (largest < 2.0**400)
            largest = np.where(usual | (largest == 0) | ~np.isfinite(largest), 1.0, largest)
            norms = np.sqrt(np.square(wide / largest).sum(axis=axis, keepdims=True)) * largest
        output[...] = np.where(norms == 0, 0.0, wide / norms).astype(output.dtype)
