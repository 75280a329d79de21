"""The NumPy kernel of EyeLike: zeros, and ones on a diagonal."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray


def compute(input: NDArray[Any], output: NDArray[Any], *, k: int) -> None:
    """Write 1 to each ``output[i, i + k]`` that exists, and 0 elsewhere."""
    rows, columns = output.shape
    output[...] = 0
    if -rows < k < columns:
        first, below = max(k, 0), max(-k, 0)
        count = min(rows - below, columns - first)
        start = below * columns + first
        output.reshape(-1)[start : start + (count - 1) * (columns + 1) + 1 : columns + 1] = 1
