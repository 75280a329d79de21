"""Adds."""

from typing import Any

import numpy as np
from numpy.typing import NDArray


def compute(X: NDArray[Any], bias: NDArray[Any] | None, Y: NDArray[Any], *, steps: int) -> None:
    """Y = X + steps + bias."""
    np.add(X, steps + (0 if bias is None else int(bias.item())), out=Y)
