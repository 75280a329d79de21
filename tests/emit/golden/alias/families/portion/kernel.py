"""Copies slices."""

from typing import Any

from numpy.typing import NDArray


def compute(
    X: NDArray[Any], split: NDArray[Any] | None, rest: list[NDArray[Any]], *, lengths: list[int]
) -> None:
    """One slice after the other."""
    start = 0
    for length, piece in zip(lengths, rest, strict=True):
        piece[...] = X[start : start + length]
        start += length
