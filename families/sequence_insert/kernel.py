"""The NumPy kernel of SequenceInsert: a list with one tensor more."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray


def compute(
    input_sequence: list[NDArray[Any]],
    tensor: NDArray[Any],
    output_sequence: list[NDArray[Any]],
    *,
    index: int,
) -> None:
    """Put the tensors into ``output_sequence``, with ``tensor`` at ``index``."""
    output_sequence.extend(input_sequence)
    output_sequence.insert(index, tensor)
