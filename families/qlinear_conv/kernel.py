"""The NumPy kernel of QLinearConv."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from opmill._runtime.kernels.convolution import convolve
from opmill._runtime.kernels.quantized import per_map, requantized, whole, wrapped

Array = NDArray[Any]


def compute(
    x: Array,
    x_scale: Array,
    x_zero_point: Array,
    w: Array,
    w_scale: Array,
    w_zero_point: Array,
    y_scale: Array,
    y_zero_point: Array,
    B: Array | None,
    y: Array,
    *,
    begin: Sequence[int],
    strides: Sequence[int],
    dilations: Sequence[int],
    group: int,
    channels_last: bool,
) -> None:
    """Write the convolution of ``x`` and ``w``, quantized, to ``y``."""
    if channels_last:
        x, y = np.moveaxis(x, -1, 1), np.moveaxis(y, -1, 1)
    sums = np.empty(y.shape, np.float64)
    convolve(
        whole(x, x_zero_point.reshape(())),
        whole(w, per_map(w_zero_point, w.ndim)),
        sums,
        begin=begin,
        strides=strides,
        dilations=dilations,
        group=group,
    )
    if B is not None:
        sums += B.astype(np.float64).reshape(-1, *[1] * len(begin))
    with np.errstate(all="ignore"):
        factors = x_scale.reshape(()) * per_map(w_scale, w.ndim - 1) / y_scale.reshape(())
    y[...] = requantized(wrapped(sums), factors, y_zero_point, y.dtype)
