"""The NumPy kernel of Pow: computed in the wider type, then converted to that of X."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from opmill._runtime.kernels.halves import widened
from opmill._runtime.kernels.powers import float_power, integer_power, truncated


def compute(X: NDArray[Any], Y: NDArray[Any], Z: NDArray[Any], *, first: int) -> None:
    """Write ``X`` to the power of ``Y``, whose axes begin at axis ``first`` of ``Z``."""
    Y = Y.reshape(Y.shape + (1,) * (Z.ndim - first - Y.ndim))
    with np.errstate(all="ignore"):  # infinities, NaNs and wrapping integers are results
        if X.dtype.kind in "iu" and Y.dtype.kind in "iu":
            Z[...] = integer_power(X, Y)
            return
        x, y = widened(X), widened(Y)
        wide = np.float32 if x.dtype == y.dtype == np.float32 else np.float64
        power = float_power(x.astype(wide), y.astype(wide))
        Z[...] = truncated(power, Z.dtype) if Z.dtype.kind in "iu" else power.astype(Z.dtype)
