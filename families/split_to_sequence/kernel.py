"""The NumPy kernel of SplitToSequence: elements are copied, never computed with."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def compute(
    input: NDArray[Any],
    split: NDArray[Any] | None,
    output_sequence: list[NDArray[Any]],
    *,
    axis: int,
    drops_axis: bool,
) -> None:
    """Put the parts of ``input`` into ``output_sequence``."""
    size = input.shape[axis]
    if drops_axis:
        output_sequence.extend(_part(input, axis, k) for k in range(size))
        return
    if split is not None and split.ndim:
        ends = np.cumsum(split, dtype=np.int64).tolist()
    else:
        chunk = 1 if split is None else int(split)
        ends = [min(start + chunk, size) for start in range(0, size, chunk)]
    start = 0
    for end in ends:
        output_sequence.append(_part(input, axis, slice(start, end)))
        start = end


def _part(input: NDArray[Any], axis: int, where: int | slice) -> NDArray[Any]:
    """A copy of what is at an index, or in a range, along an axis."""
    index: tuple[Any, ...] = (*(slice(None),) * axis, where)
    return np.array(input[index], order="C")
