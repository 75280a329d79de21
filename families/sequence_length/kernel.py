"""The NumPy kernel of SequenceLength: the rule has counted."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray


def compute(length: NDArray[Any], *, count: int) -> None:
    """Write ``count`` to ``length``."""
    length[...] = count
