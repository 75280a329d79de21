"""The NumPy kernel of Gather and GatherND: slices are copied, never computed with."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from opmill._runtime.kernels.indices import movable, positions, tuple_positions


def compute(
    data: NDArray[Any],
    indices: NDArray[Any],
    output: NDArray[Any],
    *,
    first: int,
    components: int,
    batched: bool,
) -> None:
    """Write the slices of ``data`` that the indices select to ``output``.

    Raises:
        ContentsError: an index is out of range. Nothing has been written then.
    """
    if batched:
        _gather_tuples(data, indices, output, first, components)
        return
    found = positions(indices, data.shape[first], first)
    if output.size:
        movable(output)[...] = movable(data).take(found, first)


def _gather_tuples(
    data: NDArray[Any], indices: NDArray[Any], output: NDArray[Any], first: int, components: int
) -> None:
    sizes = data.shape[first : first + components]
    found = tuple_positions(indices, sizes, first)
    if not output.size:
        return
    batches = math.prod(data.shape[:first])
    slices = movable(data).reshape(batches, math.prod(sizes), *data.shape[first + components :])
    offsets = np.ravel_multi_index(tuple(found), sizes).reshape(batches, -1)
    batch = np.arange(batches)[:, np.newaxis]
    movable(output)[...] = slices[batch, offsets].reshape(output.shape)
