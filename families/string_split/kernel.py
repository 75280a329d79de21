"""The NumPy kernel of StringSplit: Python splits each text."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
from numpy.typing import NDArray

from opmill._runtime.kernels.texts import texts_of


def measure(X: NDArray[Any], *, delimiter: str, maxsplit: int) -> tuple[tuple[int, ...], ...]:
    """The largest number of parts."""
    parts = _parts(X, delimiter, maxsplit)
    return (*X.shape, max(map(len, parts), default=0)), X.shape


def compute(
    X: NDArray[Any], Y: NDArray[Any], Z: NDArray[Any], *, delimiter: str, maxsplit: int
) -> None:
    """Write the parts of each text, and their number."""
    parts = _parts(X, delimiter, maxsplit)
    Y[...] = ""
    for row, texts in zip(Y.reshape(-1, Y.shape[-1]) if Y.size else (), parts, strict=False):
        row[: len(texts)] = texts
    Z[...] = np.array([len(texts) for texts in parts], np.int64).reshape(X.shape)


def _parts(X: NDArray[Any], delimiter: str, maxsplit: int) -> list[list[str]]:
    splits = min(maxsplit, sys.maxsize)
    texts = texts_of(X, "X").reshape(-1)
    if delimiter:
        return [text.split(delimiter, splits) for text in texts]
    return [text.strip().split(None, splits) for text in texts]
