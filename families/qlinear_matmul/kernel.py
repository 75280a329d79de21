"""The NumPy kernel of QLinearMatMul."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from opmill._runtime.kernels.quantized import per_row, requantized, whole, wrapped

Array = NDArray[Any]


def compute(
    a: Array,
    a_scale: Array,
    a_zero_point: Array,
    b: Array,
    b_scale: Array,
    b_zero_point: Array,
    y_scale: Array,
    y_zero_point: Array,
    y: Array,
) -> None:
    """Write the product of ``a`` and ``b``, quantized, to ``y``."""
    with np.errstate(all="ignore"):
        sums = np.matmul(whole(a, per_row(a_zero_point)), whole(b, b_zero_point))
        factors = _float(per_row(a_scale)), _float(b_scale)
        if a.ndim == 1:
            factors = _float(a_scale).reshape(()), factors[1]
        elif b.ndim == 1:
            factors = factors[0].reshape(factors[0].shape[:-1]), _float(b_scale).reshape(())
        by = factors[0] * factors[1] / _float(y_scale).reshape(())
        is_whole = a.dtype.kind in "iu" and b.dtype.kind in "iu"
        y[...] = requantized(wrapped(sums) if is_whole else sums, by, y_zero_point, y.dtype)


def _float(scales: Array) -> Array:
    return scales.astype(np.float32)
