"""The NumPy kernels of sequences: elements are copied, never computed with.

A new sequence has the tensors themselves that it takes from inputs.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def compute_at(input_sequence: list[NDArray[Any]], tensor: NDArray[Any], *, index: int) -> None:
    """Write the tensor at ``index`` to ``tensor``."""
    np.copyto(tensor, input_sequence[index])


def compute_concat(
    input_sequence: list[NDArray[Any]],
    concat_result: NDArray[Any],
    *,
    axis: int,
    stacks: bool,
) -> None:
    """Write the tensors to ``concat_result``, side by side along the axis or one behind another."""
    if stacks:
        np.stack(input_sequence, axis, out=concat_result)
    else:
        np.concatenate(input_sequence, axis, out=concat_result)


def compute_construct(inputs: list[NDArray[Any]], output_sequence: list[NDArray[Any]]) -> None:
    """Put ``inputs`` into ``output_sequence``."""
    output_sequence.extend(inputs)


def compute_empty(output: list[NDArray[Any]]) -> None:
    """Leave ``output`` empty."""


def compute_erase(
    input_sequence: list[NDArray[Any]], output_sequence: list[NDArray[Any]], *, index: int
) -> None:
    """Put the tensors into ``output_sequence``, but for the one at ``index``."""
    output_sequence.extend(input_sequence)
    del output_sequence[index]


def compute_insert(
    input_sequence: list[NDArray[Any]],
    tensor: NDArray[Any],
    output_sequence: list[NDArray[Any]],
    *,
    index: int,
) -> None:
    """Put the tensors into ``output_sequence``, with ``tensor`` at ``index``."""
    output_sequence.extend(input_sequence)
    output_sequence.insert(index, tensor)


def compute_length(input_sequence: list[NDArray[Any]], length: NDArray[Any]) -> None:
    """Write the number of tensors to ``length``."""
    length[...] = len(input_sequence)


def compute_split(
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


def _part(input: NDArray[Any], axis: int, selected: int | slice) -> NDArray[Any]:
    """A copy of the elements at an index, or in a range, along an axis."""
    index: tuple[Any, ...] = (*(slice(None),) * axis, selected)
    return np.array(input[index], order="C")
