"""The NumPy kernel of BitCast: the same bits under another type."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
from numpy.typing import NDArray

_MASKS = {
    np.dtype(ml_dtypes.int4): 15,
    np.dtype(ml_dtypes.uint4): 15,
    np.dtype(ml_dtypes.float4_e2m1fn): 15,
    np.dtype(ml_dtypes.int2): 3,
    np.dtype(ml_dtypes.uint2): 3,
}
"""The bits that count of elements below a byte, which have a byte of their own here."""


def compute(input: NDArray[Any], output: NDArray[Any]) -> None:
    """Write the bits of ``input`` to ``output``."""
    bits = np.ascontiguousarray(input).reshape(input.shape)
    if output.dtype in _MASKS:
        np.bitwise_and(bits.view(np.uint8), _MASKS[output.dtype], out=output.view(np.uint8))
    else:
        output[...] = bits.view(output.dtype)
