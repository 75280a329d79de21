"""The NumPy kernel of ArrayFeatureExtractor."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from opmill._runtime.errors import ContentsError
from opmill._runtime.rule_support import listed


def compute(X: NDArray[Any], Y: NDArray[Any], Z: NDArray[Any]) -> None:
    """Write the features of each row that the indices select.

    Raises:
        ContentsError: an index is out of range. Nothing has been written then.
    """
    indices = np.array(Y, order="C")  # which no other thread can change
    size = X.shape[-1]
    outside = (indices < 0) | (indices >= size)
    if outside.any():
        index = np.unravel_index(int(np.argmax(outside)), indices.shape)
        where = listed([int(i) for i in index]) if indices.ndim else ""
        expected = f"0 to {size - 1}" if size else "no index (the axis is empty)"
        raise ContentsError(
            f"Y{where} = {int(indices[index])} is out of range for axis {X.ndim - 1} of X, "
            f"expected {expected}"
        )
    if Z.size:
        Z[...] = X.take(indices.reshape(-1), -1).reshape(Z.shape)
