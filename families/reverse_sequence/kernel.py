"""The NumPy kernel of ReverseSequence: elements are copied, never computed with."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from opmill._runtime.kernels.bounds import within
from opmill._runtime.kernels.indices import movable


def compute(
    input: NDArray[Any], sequence_lens: NDArray[Any], Y: NDArray[Any], *, batch_first: bool
) -> None:
    """Write ``input`` to ``Y``, the first elements of each sequence in reverse.

    Raises:
        ContentsError: a length is out of range. Nothing has been written then.
    """
    time = 1 if batch_first else 0
    lengths = within(sequence_lens, "sequence_lens", 0, input.shape[time])
    if not Y.size:
        return
    batch = np.arange(input.shape[1 - time])[:, np.newaxis]
    steps = np.arange(input.shape[time])
    ends = lengths[:, np.newaxis]
    origin = np.where(steps < ends, ends - 1 - steps, steps)
    if batch_first:
        movable(Y)[...] = movable(input)[batch, origin]
    else:
        movable(Y)[...] = movable(input)[origin.T, batch.T]
