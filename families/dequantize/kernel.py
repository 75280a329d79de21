"""The NumPy kernel of the family dequantize."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from opmill._runtime.kernels.conversion import converted
from opmill._runtime.kernels.scales import spread

Array = NDArray[Any]


def compute(
    x: Array, x_scale: Array, x_zero_point: Array | None, y: Array, *, axis: int, block: int
) -> None:
    """Fill ``y`` with (x - x_zero_point) * x_scale, a product of doubles rounded to its type.

    Args:
        x: the quantized numbers.
        x_scale: the scales.
        x_zero_point: the zero points, of the type of ``x``; 0 where ``None``.
        y: the result.
        axis: the axis along which scales differ; -1 where there is one for all.
        block: how many elements along the axis share a scale; 0 where each index has its own.
    """
    with np.errstate(all="ignore"):
        numbers = x.astype(np.float64)
        if x_zero_point is not None:
            numbers -= spread(x_zero_point.astype(np.float64), x.shape, axis, block)
        numbers *= spread(x_scale.astype(np.float64), x.shape, axis, block)
        y[...] = converted(numbers, y.dtype)
