"""The NumPy kernel of MatMulInteger."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from opmill._runtime.kernels.quantized import per_row, whole, wrapped


def compute(
    A: NDArray[Any],
    B: NDArray[Any],
    a_zero_point: NDArray[Any] | None,
    b_zero_point: NDArray[Any] | None,
    Y: NDArray[Any],
) -> None:
    """Write the product of A and B, each less its zero points, to ``Y``."""
    left = whole(A, None if a_zero_point is None else per_row(a_zero_point))
    Y[...] = wrapped(np.matmul(left, whole(B, b_zero_point)))
