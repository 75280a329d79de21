"""The NumPy kernel of DynamicQuantizeLinear."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from opmill._runtime.kernels.quantized import quantized_dynamically

Array = NDArray[Any]


def compute(x: Array, y: Array, y_scale: Array, y_zero_point: Array) -> None:
    """Write the scale and zero point of the range of ``x`` and 0, and ``x`` quantized with them."""
    y[...], y_scale[...], y_zero_point[...] = quantized_dynamically(x)
