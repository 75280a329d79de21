"""The NumPy kernel of Transpose: elements are copied, never computed with."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray


def compute(data: NDArray[Any], transposed: NDArray[Any], *, axes: Sequence[int]) -> None:
    """Write ``data``, its axes in the order of ``axes``, to ``transposed``."""
    if data.dtype.kind == "V":
        # The types of ml_dtypes: NumPy copies what it does not know one element at a time.
        bits = f"u{data.itemsize}"
        data, transposed = data.view(bits), transposed.view(bits)
    np.copyto(transposed, data.transpose(axes))
