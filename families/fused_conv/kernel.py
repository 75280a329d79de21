"""The NumPy kernel of FusedConv."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from opmill._runtime.kernels.activations import activated
from opmill._runtime.kernels.convolution import convolve
from opmill._runtime.kernels.halves import widened


def compute(
    X: NDArray[Any],
    W: NDArray[Any],
    B: NDArray[Any] | None,
    Z: NDArray[Any] | None,
    Y: NDArray[Any],
    *,
    activation: int,
    activation_alpha: float,
    activation_beta: float,
    begin: Sequence[int],
    strides: Sequence[int],
    dilations: Sequence[int],
    group: int,
) -> None:
    """Write the images of the sums to ``Y``; float16 is computed in float32 and rounded once."""
    with np.errstate(all="ignore"):  # overflow and NaN are results here
        x = widened(X)
        sums = np.empty(Y.shape, x.dtype)
        convolve(
            x, widened(W), sums, begin=begin, strides=strides, dilations=dilations, group=group
        )
        if B is not None:
            sums += widened(B).reshape(-1, *[1] * len(begin))
        if Z is not None:
            sums += widened(Z)
        if activation >= 0:
            real = x.dtype.type
            sums = activated(activation, real(activation_alpha), real(activation_beta), sums)
        Y[...] = sums
