"""The NumPy kernel of MaxRoiPool: bin by bin, all channels at once."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from opmill._runtime.kernels.indices import movable
from opmill._runtime.kernels.regions import batches, scaled


def compute(X: NDArray[Any], rois: NDArray[Any], Y: NDArray[Any], *, scale: float) -> None:
    """Write the maximum of each bin, bit for bit; 0 for bins without elements.

    Raises:
        ContentsError: a region cannot be pooled. Nothing has been written then.
    """
    entries = batches(rois, X.shape[0])
    corners = scaled(rois, 1, scale)
    source, target = movable(X), movable(Y)
    target[...] = 0
    if Y.size == 0 or X.size == 0:
        return
    with np.errstate(all="ignore"):  # NaNs are legal
        for region, entry in enumerate(entries):
            x1, y1, x2, y2 = (_nearest(corner) for corner in corners[region].tolist())
            rows = _bins(y1, y2, Y.shape[2], X.shape[2])
            columns = _bins(x1, x2, Y.shape[3], X.shape[3])
            for i, (top, bottom) in enumerate(rows):
                for j, (left, right) in enumerate(columns):
                    if top < bottom and left < right:
                        window = (entry, slice(None), slice(top, bottom), slice(left, right))
                        values = X[window].reshape(X.shape[1], -1).astype(np.float64)
                        best = values.argmax(1)  # the first NaN, else the first maximum
                        moved = source[window].reshape(X.shape[1], -1)
                        target[region, :, i, j] = moved[np.arange(X.shape[1]), best]


def _nearest(number: float) -> int:
    """The nearest whole number; halves go away from 0."""
    whole = int(abs(number))
    whole += abs(number) - whole >= 0.5
    return -whole if number < 0 else whole


def _bins(start: int, end: int, count: int, size: int) -> list[tuple[int, int]]:
    """The bounds of each bin along an axis, within the image."""
    length = max(end - start + 1, 1)
    return [
        (
            min(max(start + k * length // count, 0), size),
            min(max(start - -(k + 1) * length // count, 0), size),
        )
        for k in range(count)
    ]
