"""The NumPy kernel of QLinearConcat."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from opmill._runtime.kernels.quantized import rescaled


def compute(
    Y_scale: NDArray[Any],
    Y_zero_point: NDArray[Any],
    inputs: list[NDArray[Any]],
    Y: NDArray[Any],
    *,
    axis: int,
) -> None:
    """Write the parts, each in the scale of ``Y``, side by side along the axis."""
    parts = [
        rescaled(part, scale, zero, Y_scale, Y_zero_point)
        for part, scale, zero in zip(inputs[::3], inputs[1::3], inputs[2::3], strict=True)
    ]
    np.concatenate(parts, axis, out=Y)
