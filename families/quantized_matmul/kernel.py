"""The NumPy kernel of MatMulIntegerToFloat and DynamicQuantizeMatMul."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from opmill._runtime.kernels.quantized import quantized_dynamically, whole, wrapped

Array = NDArray[Any]


def compute(
    A: Array,
    B: Array,
    a_scale: Array | None,
    b_scale: Array,
    a_zero_point: Array | None,
    b_zero_point: Array | None,
    bias: Array | None,
    Y: Array,
) -> None:
    """Write the product, in the scales of both factors, to ``Y``; each step is one of float."""
    if a_scale is None:
        A, a_scale, a_zero_point = quantized_dynamically(A)
    left = whole(A, None if a_zero_point is None else a_zero_point.reshape(()))
    scale = b_scale.astype(np.float32)
    if B.ndim == 1:
        scale = scale.reshape(())
    elif A.ndim == 1 and scale.ndim > 1:
        scale = scale[..., 0, :]
    with np.errstate(all="ignore"):  # infinities and NaN are legal
        sums = wrapped(np.matmul(left, whole(B, b_zero_point))).astype(np.float32)
        result = sums * (a_scale.reshape(()).astype(np.float32) * scale)
        if bias is not None:
            result = result + bias.astype(np.float32).reshape(-1 if B.ndim > 1 else ())
        Y[...] = result.astype(Y.dtype)
