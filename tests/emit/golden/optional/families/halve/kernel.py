"""Shifts and masks."""

from typing import Any

import numpy as np
from numpy.typing import NDArray


def compute(
    X: NDArray[Any],
    bias: NDArray[Any] | None,
    Y: NDArray[Any],
    rest: NDArray[Any] | None,
    *,
    steps: int,
) -> None:
    """Y = floor(X / 2^steps) + bias, rest = X mod 2^steps."""
    np.right_shift(X, steps, out=Y)
    if bias is not None:
        np.add(Y, bias, out=Y)
    if rest is not None:
        np.bitwise_and(X, (1 << steps) - 1, out=rest)
