"""The NumPy kernel of Adagrad."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def compute(
    R: NDArray[Any],
    T: NDArray[Any],
    inputs: list[NDArray[Any]],
    outputs: list[NDArray[Any]],
    *,
    decay_factor: float,
    epsilon: float,
    norm_coefficient: float,
) -> None:
    """Write the new tensors, then the new sums of squares, computed in double."""
    count = len(inputs) // 3
    with np.errstate(all="ignore"):
        rate = np.float64(R.item()) / (1 + np.float64(T.item()) * decay_factor)
        for k in range(count):
            x, g, h = (inputs[k + part * count].astype(np.float64) for part in range(3))
            gradient = norm_coefficient * x + g
            squares = h + gradient * gradient
            outputs[k][...] = x - rate * gradient / (np.sqrt(squares) + epsilon)
            outputs[count + k][...] = squares
