"""The NumPy kernel of ScatterElements."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from opmill._runtime.kernels.indices import positions
from opmill._runtime.kernels.scatter import scatter


def compute(
    data: NDArray[Any],
    indices: NDArray[Any],
    updates: NDArray[Any],
    output: NDArray[Any],
    *,
    axis: int,
    reduction: str,
) -> None:
    """Write ``data`` to ``output``, then each update to the element that its index selects.

    Raises:
        ContentsError: an index is out of range. Nothing has been written then.
    """
    found = positions(indices, data.shape[axis], axis)
    np.copyto(output, data)
    if not found.size:
        return
    elements = np.zeros(found.shape, np.int64)
    for i, dim in enumerate(output.shape):
        one = found if i == axis else np.arange(found.shape[i]).reshape(_along(i, found.ndim))
        elements = elements * dim + one
    scatter(output.reshape(-1), elements.reshape(-1), updates.reshape(-1), reduction)


def _along(axis: int, rank: int) -> tuple[int, ...]:
    return tuple(-1 if i == axis else 1 for i in range(rank))
