"""Scales and zero points of quantization, one for each element that they belong to."""

from __future__ import annotations

import numpy as np

from opmill._runtime.types import Array


def spread(scales: Array, shape: tuple[int, ...], axis: int, block: int) -> Array:
    """Scales in a shape that broadcasts to that of the elements.

    Args:
        scales: the scales or the zero points.
        shape: the shape of the elements.
        axis: the axis along which they differ; -1 where there is one for all.
        block: how many elements along the axis share one; 0 where ``scales`` is a vector, with one
            for each index of the axis.
    """
    if axis < 0:
        return scales.reshape(())
    if block == 0:
        return scales.reshape([-1 if i == axis else 1 for i in range(len(shape))])
    positions = np.arange(shape[axis]) // block
    return np.take(scales, positions, axis=axis)
