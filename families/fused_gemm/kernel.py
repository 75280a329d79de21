"""The NumPy kernel of FusedGemm."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from opmill._runtime.kernels.activations import activated
from opmill._runtime.kernels.halves import widened


def compute(
    A: NDArray[Any],
    B: NDArray[Any],
    C: NDArray[Any] | None,
    Y: NDArray[Any],
    *,
    activation: int,
    activation_alpha: float,
    activation_beta: float,
    activation_gamma: float,
    alpha: float,
    beta: float,
    transpose_a: bool,
    transpose_b: bool,
) -> None:
    """Write the images of the sums to ``Y``; float16 is computed in float32 and rounded once."""
    a, b = widened(A), widened(B)
    with np.errstate(all="ignore"):  # overflow and NaN are results here
        sums = np.matmul(a.T if transpose_a else a, b.T if transpose_b else b)
        real = sums.dtype.type
        sums *= real(alpha)
        if C is not None and beta != 0:
            sums += widened(C) * real(beta)
        Y[...] = activated(
            activation, real(activation_alpha), real(activation_beta), sums, activation_gamma
        )
