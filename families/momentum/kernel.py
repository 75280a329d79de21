"""The NumPy kernel of Momentum."""

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
    is_nesterov: bool,
    norm_coefficient: float,
) -> None:
    """Write the new tensors, then the new momentums, computed in double."""
    count = len(inputs) // 3
    factor = beta if T.item() > 0 else 1.0
    with np.errstate(all="ignore"):
        rate = np.float64(R.item())
        for k in range(count):
            x, g, v = (inputs[k + part * count].astype(np.float64) for part in range(3))
            gradient = norm_coefficient * x + g
            momentum = alpha * v + factor * gradient
            direction = gradient + alpha * momentum if is_nesterov else momentum
            outputs[k][...] = x - rate * direction
            outputs[count + k][...] = momentum
