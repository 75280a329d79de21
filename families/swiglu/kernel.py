"""The NumPy kernel of SwiGLU: the gate is rounded to the element type before the product."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from opmill._runtime.kernels import functions
from opmill._runtime.kernels.halves import widened


def compute(A: NDArray[Any], B: NDArray[Any], Y: NDArray[Any], *, alpha: float) -> None:
    """Write the Swish function of ``A``, with ``alpha``, times ``B``."""
    with np.errstate(all="ignore"):  # infinities and NaNs are results
        gate = functions.swish(widened(A), alpha).astype(Y.dtype)
        np.copyto(Y, widened(gate) * widened(B), casting="unsafe")
