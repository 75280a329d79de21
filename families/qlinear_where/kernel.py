"""The NumPy kernel of QLinearWhere."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from opmill._runtime.kernels.quantized import rescaled


def compute(
    condition: NDArray[Any],
    X: NDArray[Any],
    x_scale: NDArray[Any],
    x_zero_point: NDArray[Any],
    Y: NDArray[Any],
    y_scale: NDArray[Any],
    y_zero_point: NDArray[Any],
    z_scale: NDArray[Any],
    z_zero_point: NDArray[Any],
    Z: NDArray[Any],
) -> None:
    """Write the elements of both tensors, each in the scale of ``Z``."""
    np.copyto(Z, rescaled(Y, y_scale, y_zero_point, z_scale, z_zero_point))
    np.copyto(Z, rescaled(X, x_scale, x_zero_point, z_scale, z_zero_point), where=condition)
