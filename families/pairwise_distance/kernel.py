"""The NumPy kernel of CDist: sums of squared differences, in double."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

_BLOCK = 1 << 18


def compute(A: NDArray[Any], B: NDArray[Any], C: NDArray[Any], *, root: bool) -> None:
    """Write the distances, of as many rows of A at a time as keep the differences small."""
    if C.size == 0:
        return
    rows = max(_BLOCK // max(B.size, 1), 1)
    wide_a, wide_b = A.astype(np.float64), B.astype(np.float64)
    with np.errstate(all="ignore"):  # infinities and NaNs are legal
        for at in range(0, len(A), rows):
            difference = wide_a[at : at + rows, np.newaxis] - wide_b
            total = np.einsum("ijk,ijk->ij", difference, difference)
            C[at : at + rows] = np.sqrt(total) if root else total
