"""The NumPy kernel of SequenceErase: a list with one tensor less."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray


def compute(
    input_sequence: list[NDArray[Any]], output_sequence: list[NDArray[Any]], *, index: int
) -> None:
    """Put the tensors into ``output_sequence``, but for the one at ``index``."""
    output_sequence.extend(input_sequence)
    del output_sequence[index]
