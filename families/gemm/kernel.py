"""The NumPy kernel of Gemm."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def compute(
    A: NDArray[Any],
    B: NDArray[Any],
    C: NDArray[Any] | None,
    Y: NDArray[Any],
    *,
    alpha: float,
    beta: float,
    transpose_a: bool,
    transpose_b: bool,
) -> None:
    """Write ``alpha * A * B + beta * C`` to ``Y``; C is not looked at where beta is 0."""
    a = A.T if transpose_a else A
    b = B.T if transpose_b else B
    c = C if beta != 0 else None
    with np.errstate(all="ignore"):  # overflow and NaN are results here
        if Y.dtype.kind in "iu":
            _integers(a, b, c, Y, alpha, beta)
            return
        # The 16-bit floats are summed in float32 and rounded once.
        dtype = np.result_type(Y.dtype, np.float32)
        sums = np.matmul(a.astype(dtype, copy=False), b.astype(dtype, copy=False))
        if alpha != 1:
            sums *= dtype.type(alpha)
        if c is not None:
            sums += c.astype(dtype, copy=False) * dtype.type(beta)
        Y[...] = sums


def _integers(
    a: NDArray[Any],
    b: NDArray[Any],
    c: NDArray[Any] | None,
    Y: NDArray[Any],
    alpha: float,
    beta: float,
) -> None:
    """Exact and wrapping with factors of 1; else in double, cut off, and held in the type."""
    np.matmul(a, b, out=Y)
    if alpha == 1 and (c is None or beta == 1):
        if c is not None:
            Y += c
        return
    real = Y * np.float64(alpha)
    if c is not None:
        real = real + c * np.float64(beta)
    limits = np.iinfo(Y.dtype)
    inside = (real > float(limits.min) - 1) & (real < float(limits.max) + 1)
    if limits.min < -(2**31):  # beside which a double has no room for one less
        inside = (real >= float(limits.min)) & (real < -float(limits.min))
    Y[...] = np.where(real > 0, limits.max, limits.min)
    Y[np.isnan(real)] = 0
    np.copyto(Y, np.where(inside, real, 0).astype(Y.dtype), where=inside)
