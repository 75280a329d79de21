"""The NumPy kernel of RoiAlign: weights of rows and columns, bin by bin, for all channels."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from opmill._runtime.kernels.bounds import within
from opmill._runtime.kernels.halves import widened
from opmill._runtime.kernels.regions import scaled
from opmill._runtime.types import Array


class _Bin(NamedTuple):
    """The pixels of a bin along an axis.

    ``low`` and ``high`` are the smallest and the largest weight that a sample gives each of them,
    ``mean`` is the mean over all samples of the bin.
    """

    at: NDArray[np.int64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    mean: NDArray[np.float64]
    outside: bool


def compute(
    X: NDArray[Any],
    rois: NDArray[Any],
    batch_indices: NDArray[Any],
    Y: NDArray[Any],
    *,
    half_pixel: bool,
    is_max: bool,
    sampling_ratio: int,
    scale: float,
) -> None:
    """Write the mean of the samples of each bin, or the largest weighted pixel.

    Raises:
        ContentsError: a region cannot be pooled. Nothing has been written then.
    """
    images = within(batch_indices, "batch_indices", 0, X.shape[0] - 1).tolist()
    corners = scaled(rois, 0, scale)
    Y[...] = 0
    if Y.size == 0 or X.size == 0:
        return
    with np.errstate(all="ignore"):  # infinities and NaN are results here
        for region, image in enumerate(images):
            axes: list[list[_Bin]] = []
            for axis in (0, 1):  # rows, then columns; corners are x1, y1, x2, y2
                start, end = corners[region, 1 - axis], corners[region, 3 - axis]
                if half_pixel:
                    start, end = start - 0.5, end - 0.5
                size = end - start if half_pixel else max(end - start, 1.0)
                step = size / Y.shape[2 + axis]
                grid = sampling_ratio if sampling_ratio else math.ceil(step)
                axes.append(
                    [
                        _weights(start, size, k, Y.shape[2 + axis], grid, X.shape[2 + axis])
                        for k in range(Y.shape[2 + axis])
                    ]
                )
            (_maxima if is_max else _means)(X[image], axes[0], axes[1], Y[region])


def _weights(start: float, length: float, number: int, bins: int, grid: int, size: int) -> _Bin:
    """The weights of the pixels along an axis of `size` for the samples of bin `number`."""
    step = length / bins
    begin = start + number * step
    first, end = 0, grid
    if grid < 2 * step:  # samples are at least half a pixel apart: skip those outside
        first = min(max(math.floor((-1 - begin) / step * grid) - 2, 0), grid)
        end = max(min(math.ceil((size - begin) / step * grid) + 2, grid), first)
    positions = np.zeros(0)
    if grid > 0:  # rounded late, as the position decides whether a sample is inside
        samples = number * grid + np.arange(first, end) + 0.5
        positions = start + samples * length / (bins * grid)
    inside = (positions >= -1) & (positions <= size)
    outside = end - first < grid or not inside.all()
    positions = np.clip(positions[inside], 0, size - 1)
    below = np.floor(positions).astype(np.int64)
    pixels = np.concatenate([below, np.minimum(below + 1, size - 1)])
    upper = positions - below
    weights = np.concatenate([1 - upper, upper])
    at, which = np.unique(pixels, return_inverse=True)
    low, high = np.full(at.size, np.inf), np.full(at.size, -np.inf)
    np.minimum.at(low, which, weights)
    np.maximum.at(high, which, weights)
    mean = np.bincount(which, weights, at.size) / max(grid, 1)
    return _Bin(at, low, high, mean, outside)


def _means(image: Array, rows: list[_Bin], columns: list[_Bin], to: Array) -> None:
    """Weight rows, then columns. A weight of 0 does not look at its pixels."""
    real = np.float64 if image.dtype == np.float64 else np.float32
    chosen = []
    for column in columns:
        used = column.mean.astype(real) != 0
        chosen.append((column.at[used], column.mean[used].astype(real)))
    for i, row in enumerate(rows):
        used = row.mean.astype(real) != 0
        lines = widened(image[:, row.at[used]])
        line = np.einsum("r,crw->cw", row.mean[used].astype(real), lines)
        for j, (at, weights) in enumerate(chosen):
            to[:, i, j] = line[:, at] @ weights


def _maxima(image: Array, rows: list[_Bin], columns: list[_Bin], to: Array) -> None:
    """Of pixels that are not negative the largest weight counts, of negative ones the smallest."""
    for i, row in enumerate(rows):
        for j, column in enumerate(columns):
            if not (row.at.size and column.at.size):
                continue
            pixels = widened(image[:, row.at[:, None], column.at])
            negative = pixels < 0
            down = np.where(negative, row.low[:, None], row.high[:, None]).astype(pixels.dtype)
            along = np.where(negative, column.low, column.high).astype(pixels.dtype)
            found = pixels * down * along
            found[(down == 0) | (along == 0)] = 0
            best = found.reshape(found.shape[0], -1).max(1)
            if row.outside or column.outside:
                best = np.maximum(best, 0)
            to[:, i, j] = best
