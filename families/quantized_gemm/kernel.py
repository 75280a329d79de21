"""The NumPy kernel of QGemm."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from opmill._runtime.kernels.quantized import requantized, whole, wrapped

Array = NDArray[Any]


def compute(
    A: Array,
    a_scale: Array,
    a_zero_point: Array,
    B: Array,
    b_scale: Array,
    b_zero_point: Array,
    C: Array | None,
    y_scale: Array | None,
    y_zero_point: Array | None,
    Y: Array,
    *,
    alpha: float,
    transpose_a: bool,
    transpose_b: bool,
) -> None:
    """Write the product and C, in floats or quantized, to ``Y``; each step is one of float."""
    a = whole(A.T if transpose_a else A, a_zero_point.reshape(()))
    b = whole(B.T if transpose_b else B, b_zero_point)
    sums = np.matmul(a, b)
    if C is not None:
        sums = sums + C
    sums = wrapped(sums)
    with np.errstate(all="ignore"):  # infinities and NaN are legal
        factors = np.float32(alpha) * a_scale.reshape(()) * b_scale
        if y_scale is None or y_zero_point is None:
            Y[...] = sums.astype(np.float32) * factors
        else:
            Y[...] = requantized(sums, factors / y_scale.reshape(()), y_zero_point, Y.dtype)
