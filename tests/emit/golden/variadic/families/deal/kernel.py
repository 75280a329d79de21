"""Copies whole tensors."""

from typing import Any

from numpy.typing import NDArray


def compute(parts: list[NDArray[Any]], pieces: list[NDArray[Any]]) -> None:
    """Piece k is part k mod n."""
    for k, piece in enumerate(pieces):
        piece[...] = parts[k % len(parts)]
