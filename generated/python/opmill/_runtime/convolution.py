"""Convolution by NumPy: windows of the padded input, gathered in blocks, times the kernels."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided
from numpy.typing import NDArray

# A block of windows holds about so many elements.
_BLOCK = 1 << 20


def convolve(
    X: NDArray[Any],
    W: NDArray[Any],
    Y: NDArray[Any],
    *,
    begin: Sequence[int],
    strides: Sequence[int],
    dilations: Sequence[int],
    group: int,
) -> None:
    """Write the convolution to ``Y``, of the type of X and W; its shape says what is padded."""
    if Y.size == 0:
        return
    maps, channels = W.shape[0] // group, W.shape[1]
    taps, sizes = W.shape[2:], Y.shape[2:]
    if channels == 0:
        Y[...] = 0
        return
    weights = W.reshape(group, maps, channels * prod(taps))
    # Rows of the first spatial axis, as many at a time as a block has room for.
    row = group * channels * prod(taps) * prod(sizes[1:])
    rows = max(1, min(sizes[0], _BLOCK // row))
    for item in range(X.shape[0]):
        for first in range(0, sizes[0], rows):
            count = min(rows, sizes[0] - first)
            box = _box(X[item], (first, count), taps, sizes, begin, strides, dilations)
            steps = box.strides[1:]
            windows = as_strided(
                box,
                (group, channels, *taps, count, *sizes[1:]),
                (
                    channels * box.strides[0],
                    box.strides[0],
                    *(step * dilation for step, dilation in zip(steps, dilations, strict=True)),
                    *(step * stride for step, stride in zip(steps, strides, strict=True)),
                ),
                writeable=False,
            )
            products = np.matmul(weights, windows.reshape(group, weights.shape[2], -1))
            Y[item, :, first : first + count] = products.reshape(group * maps, count, *sizes[1:])


def _box(
    x: NDArray[Any],
    rows: tuple[int, int],
    taps: Sequence[int],
    sizes: Sequence[int],
    begin: Sequence[int],
    strides: Sequence[int],
    dilations: Sequence[int],
) -> NDArray[Any]:
    """The part of one item that some rows of the output need, with zeros around it."""
    lows = [-before for before in begin]
    counts = list(sizes)
    lows[0] += rows[0] * strides[0]
    counts[0] = rows[1]
    extents = [
        (count - 1) * stride + (tap - 1) * dilation + 1
        for count, stride, tap, dilation in zip(counts, strides, taps, dilations, strict=True)
    ]
    box = np.zeros((x.shape[0], *extents), x.dtype)
    source, target = [slice(None)], [slice(None)]
    for low, extent, length in zip(lows, extents, x.shape[1:], strict=True):
        start, stop = max(0, low), min(length, low + extent)
        stop = max(start, stop)
        source.append(slice(start, stop))
        target.append(slice(start - low, stop - low))
    if all(part.start < part.stop for part in source[1:]):
        box[tuple(target)] = x[tuple(source)]
    return box
