"""The NumPy kernel of NonZero: a mask of what is not zero, and its indices."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def measure(X: NDArray[Any]) -> tuple[tuple[int, ...], ...]:
    """A row for each axis, a column for each element that is not zero."""
    return ((X.ndim, int(np.count_nonzero(_mask(X)))),)


def compute(X: NDArray[Any], Y: NDArray[Any]) -> None:
    """Write the indices; a scalar has no axes, and so no rows of indices."""
    if X.ndim:
        for row, indices in zip(Y, np.nonzero(_mask(X)), strict=True):
            row[...] = indices


def _mask(X: NDArray[Any]) -> NDArray[Any]:
    """Return whether each element is not zero; a text is zero where it is empty."""
    if X.dtype.kind == "O":
        return X.astype(np.bool_)
    if X.dtype.kind in "SUT":
        return np.asarray(np.strings.str_len(X) > 0)
    with np.errstate(invalid="ignore"):  # a signalling NaN, which is not zero
        return np.asarray(X != 0)
