"""The NumPy kernel of FusedMatMul."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from opmill._runtime.kernels.halves import widened


def compute(
    A: NDArray[Any],
    B: NDArray[Any],
    Y: NDArray[Any],
    *,
    alpha: float,
    swaps_a: bool,
    swaps_b: bool,
    moves_a: bool,
    moves_b: bool,
) -> None:
    """Write the product to ``Y``; the 16-bit floats are summed in float32 and rounded once."""
    with np.errstate(all="ignore"):  # overflow and NaN are results here
        product = np.matmul(transposed(A, moves_a, swaps_a), transposed(B, moves_b, swaps_b))
        Y[...] = product * product.dtype.type(alpha)


def transposed(tensor: NDArray[Any], moves_first: bool, swaps_last: bool) -> NDArray[Any]:
    """A tensor as it is multiplied."""
    wide = widened(tensor)
    if moves_first:
        wide = np.moveaxis(wide, 0, -2)
    return np.swapaxes(wide, -1, -2) if swaps_last and wide.ndim > 1 else wide
