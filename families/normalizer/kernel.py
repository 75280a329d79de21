"""The NumPy kernel of Normalizer."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def compute(X: NDArray[Any], Y: NDArray[Any], *, norm: str) -> None:
    """Write each row divided by its norm, in double and rounded once; a norm of 0 divides none."""
    if not X.size:
        return
    x = X.astype(np.float64)
    with np.errstate(all="ignore"):  # infinities and NaNs are legal
        if norm == "MAX":
            divisor = x.max(axis=-1, keepdims=True)
        else:
            x = np.ldexp(x, -_exponents(x))
            size = np.abs(x)
            sums = (size if norm == "L1" else size * size).sum(axis=-1, keepdims=True)
            divisor = sums if norm == "L1" else np.sqrt(sums)
        np.copyto(Y, np.where(divisor == 0, X, x / divisor), casting="same_kind")


def _exponents(x: NDArray[Any]) -> Any:
    """The power of 2 of each row's largest element, so that no square overflows or vanishes."""
    largest = np.abs(x).max(axis=-1, keepdims=True)
    return np.frexp(np.where(np.isfinite(largest), largest, 0))[1]
