"""The NumPy kernel of MatMul."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def compute(A: NDArray[Any], B: NDArray[Any], Y: NDArray[Any]) -> None:
    """Write the product to ``Y``; the 16-bit floats are summed in float32 and rounded once."""
    with np.errstate(all="ignore"):  # overflow and NaN are results here
        if Y.dtype.itemsize == 2:
            Y[...] = np.matmul(A.astype(np.float32), B.astype(np.float32))
        else:
            np.matmul(A, B, out=Y)
