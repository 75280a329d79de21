"""The NumPy kernel of GatherElements: elements are copied, never computed with."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from opmill._runtime.kernels.indices import movable, positions


def compute(data: NDArray[Any], indices: NDArray[Any], output: NDArray[Any], *, axis: int) -> None:
    """Write the element that each index selects to ``output``.

    Raises:
        ContentsError: an index is out of range. Nothing has been written then.
    """
    found = positions(indices, data.shape[axis], axis)
    if not output.size:
        return
    within = tuple(
        slice(None) if i == axis else slice(0, dim) for i, dim in enumerate(indices.shape)
    )
    movable(output)[...] = np.take_along_axis(movable(data)[within], found, axis)
