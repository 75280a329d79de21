"""The NumPy kernel of TensorScatter: elements are copied, never computed with."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from opmill._runtime.kernels.bounds import within
from opmill._runtime.kernels.indices import movable


def compute(
    past_cache: NDArray[Any],
    update: NDArray[Any],
    write_indices: NDArray[Any] | None,
    present_cache: NDArray[Any],
    *,
    axis: int,
    circular: bool,
) -> None:
    """Write ``past_cache`` to ``present_cache``, then each entry's update to its place.

    Raises:
        ContentsError: a position is out of range. Nothing has been written then.
    """
    longest, length = past_cache.shape[axis], update.shape[axis]
    begins = np.zeros(past_cache.shape[0] if update.size else 0, np.int64)
    if write_indices is not None:
        if circular:
            begins = np.array(write_indices, np.int64) % max(longest, 1)
        else:
            begins = within(write_indices, "write_indices", 0, longest - length)
    np.copyto(movable(present_cache), movable(past_cache))
    if not update.size:
        return
    target, source = movable(present_cache), movable(update)
    for entry, begin in enumerate(begins.tolist()):
        positions = np.arange(begin, begin + length) % longest
        rows = np.moveaxis(target[entry], axis - 1, 0)
        rows[positions] = np.moveaxis(source[entry], axis - 1, 0)
