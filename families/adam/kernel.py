"""The NumPy kernel of Adam."""

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
    alpha: float,
    beta: float,
    epsilon: float,
    norm_coefficient: float,
    norm_coefficient_post: float,
) -> None:
    """Write the new tensors, then both averages, computed in double."""
    count = len(inputs) // 4
    with np.errstate(all="ignore"):
        rate, steps = np.float64(R.item()), np.float64(T.item())
        if steps > 0:
            rate = rate * np.sqrt(1 - np.power(beta, steps)) / (1 - np.power(alpha, steps))
        for k in range(count):
            x, g, v, h = (inputs[k + part * count].astype(np.float64) for part in range(4))
            gradient = norm_coefficient * x + g
            average = alpha * v + (1 - alpha) * gradient
            squares = beta * h + (1 - beta) * gradient * gradient
            moved = x - rate * average / (np.sqrt(squares) + epsilon)
            outputs[k][...] = (1 - norm_coefficient_post) * moved
            outputs[count + k][...] = average
            outputs[2 * count + k][...] = squares
