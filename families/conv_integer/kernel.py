"""The NumPy kernel of ConvInteger."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from opmill._runtime.kernels.convolution import convolve
from opmill._runtime.kernels.quantized import per_map, whole, wrapped


def compute(
    x: NDArray[Any],
    w: NDArray[Any],
    x_zero_point: NDArray[Any] | None,
    w_zero_point: NDArray[Any] | None,
    y: NDArray[Any],
    *,
    begin: Sequence[int],
    strides: Sequence[int],
    dilations: Sequence[int],
    group: int,
) -> None:
    """Write the convolution of x and w, each less its zero point, to ``y``."""
    sums = np.empty(y.shape, np.float64)
    convolve(
        whole(x, None if x_zero_point is None else x_zero_point.reshape(())),
        whole(w, None if w_zero_point is None else per_map(w_zero_point, w.ndim)),
        sums,
        begin=begin,
        strides=strides,
        dilations=dilations,
        group=group,
    )
    y[...] = wrapped(sums)
