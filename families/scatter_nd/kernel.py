"""The NumPy kernel of ScatterND."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from opmill._runtime.kernels.indices import tuple_positions
from opmill._runtime.kernels.scatter import scatter


def compute(
    data: NDArray[Any],
    indices: NDArray[Any],
    updates: NDArray[Any],
    output: NDArray[Any],
    *,
    components: int,
    reduction: str,
) -> None:
    """Write ``data`` to ``output``, then each update to the slice that its row of indices selects.

    Raises:
        ContentsError: an index is out of range. Nothing has been written then.
    """
    sizes = data.shape[:components]
    tuples = math.prod(indices.shape[:-1])
    positions = np.zeros(tuples if updates.size else 0, np.int64)
    if components:
        found = tuple_positions(indices, sizes, 0)
        if updates.size:
            positions = np.ravel_multi_index(tuple(found), sizes).reshape(-1)
    np.copyto(output, data)
    if updates.size:
        slices = output.reshape(math.prod(sizes), *data.shape[components:])
        rows = updates.reshape(tuples, *data.shape[components:])
        scatter(slices, positions, rows, reduction)
