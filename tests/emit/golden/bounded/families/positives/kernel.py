"""Selects with a mask."""

from typing import Any

import numpy as np
from numpy.typing import NDArray


def measure(X: NDArray[Any]) -> tuple[tuple[int, ...], ...]:
    """The shape of Y: the number of positive elements."""
    return ((int(np.count_nonzero(X > 0)),),)


def compute(X: NDArray[Any], Y: NDArray[Any]) -> None:
    """Y = the positive elements of X."""
    Y[...] = X[X > 0]
