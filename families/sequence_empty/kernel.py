"""The NumPy kernel of SequenceEmpty: it puts nothing into the sequence."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray


def compute(output: list[NDArray[Any]]) -> None:
    """Leave ``output`` empty."""
