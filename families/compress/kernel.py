"""The NumPy kernel of Compress: slices are copied, never computed with."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from opmill._runtime.errors import ContentsError
from opmill._runtime.kernels.indices import movable


def measure(
    input: NDArray[Any], condition: NDArray[Any], *, axis: int, flat: bool, length: int, size: int
) -> tuple[tuple[int, ...], ...]:
    """The shape with as many slices as bools are true.

    Raises:
        ContentsError: a bool beyond the axis is true.
    """
    selected = np.asarray(_true(condition))
    beyond = selected[size:]
    if beyond.any():
        position = size + int(beyond.argmax())
        raise ContentsError(f"condition[{position}] is true, expected false from index {size} on")
    count = int(np.count_nonzero(selected))
    if flat:
        return ((count,),)
    return ((*input.shape[:axis], count, *input.shape[axis + 1 :]),)


def compute(
    input: NDArray[Any],
    condition: NDArray[Any],
    output: NDArray[Any],
    *,
    axis: int,
    flat: bool,
    length: int,
    size: int,
) -> None:
    """Write the slices that are selected to ``output``."""
    if output.size == 0:
        return
    found = np.flatnonzero(_true(condition)[:size])
    source = input.reshape(-1) if flat else input
    movable(output)[...] = movable(source).take(found, axis)


def _true(condition: NDArray[Any]) -> NDArray[Any]:
    """Every byte but 0 is true."""
    return np.asarray(condition.reshape(-1).view(np.uint8) != 0)
