"""The NumPy kernel of AffineGrid: all positions through the matrices, in double."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def compute(theta: NDArray[Any], grid: NDArray[Any], *, align: bool) -> None:
    """Write the positions; products are added up from the first coordinate on, the shift last."""
    if grid.size == 0:
        return
    axes = theta.shape[1]
    with np.errstate(all="ignore"):  # infinities and NaNs are legal
        matrices = theta.astype(np.float64)
        lines = [_line(length, align) for length in grid.shape[1:-1]]
        for row in range(axes):
            result = np.zeros(grid.shape[:-1])
            for k in range(axes):
                axis = axes - 1 - k  # the first coordinate is that of the last axis
                factor = matrices[:, row, k].reshape(-1, *[1] * axes)
                line = lines[axis].reshape(*[1] * (axis + 1), -1, *[1] * k)
                result = factor * line if k == 0 else result + factor * line
            result = result + matrices[:, row, axes].reshape(-1, *[1] * axes)
            grid[..., row] = result.astype(grid.dtype)


def _line(length: int, align: bool) -> NDArray[Any]:
    """The coordinates along an axis."""
    index = np.arange(length, dtype=np.float64)
    if align:
        return (2 * index - (length - 1)) / (length - 1) if length > 1 else -np.ones(length)
    return (2 * index + 1 - length) / length
