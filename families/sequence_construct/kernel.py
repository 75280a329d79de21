"""The NumPy kernel of SequenceConstruct: the sequence has the inputs themselves."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray


def compute(inputs: list[NDArray[Any]], output_sequence: list[NDArray[Any]]) -> None:
    """Put ``inputs`` into ``output_sequence``."""
    output_sequence.extend(inputs)
