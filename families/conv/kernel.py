"""The NumPy kernel of Conv."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from opmill._runtime.kernels.convolution import convolve


def compute(
    X: NDArray[Any],
    W: NDArray[Any],
    B: NDArray[Any] | None,
    Y: NDArray[Any],
    *,
    begin: Sequence[int],
    strides: Sequence[int],
    dilations: Sequence[int],
    group: int,
) -> None:
    """Write the convolution to ``Y``; the 16-bit floats are summed in float32 and rounded once."""
    with np.errstate(all="ignore"):  # overflow and NaN are results here
        dtype = np.result_type(Y.dtype, np.float32)
        sums = Y if Y.dtype == dtype else np.empty(Y.shape, dtype)
        convolve(
            X.astype(dtype, copy=False),
            W.astype(dtype, copy=False),
            sums,
            begin=begin,
            strides=strides,
            dilations=dilations,
            group=group,
        )
        if B is not None:
            sums += B.astype(dtype, copy=False).reshape(-1, *[1] * len(begin))
        if sums is not Y:
            Y[...] = sums
