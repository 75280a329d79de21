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
# A padded input of more elements than so many times its windows' is not made.
_SPREAD = 16


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
            windows = _windows(X[item], (first, count), taps, sizes, begin, strides, dilations)
            products = np.matmul(weights, windows.reshape(group, weights.shape[2], -1))
            Y[item, :, first : first + count] = products.reshape(group * maps, count, *sizes[1:])


def _windows(
    x: NDArray[Any],
    rows: tuple[int, int],
    taps: Sequence[int],
    sizes: Sequence[int],
    begin: Sequence[int],
    strides: Sequence[int],
    dilations: Sequence[int],
) -> NDArray[Any]:
    """The windows of some rows of one item's output: channels, taps, then output positions."""
    first, count = rows
    lows = [first * strides[0] - begin[0], *(-before for before in begin[1:])]
    counts = [count, *sizes[1:]]
    # A step that is never taken may be of any size.
    steps = [stride if n > 1 else 1 for stride, n in zip(strides, counts, strict=True)]
    spreads = [dilation if n > 1 else 1 for dilation, n in zip(dilations, taps, strict=True)]
    extents = [
        (n - 1) * step + (tap - 1) * spread + 1
        for n, step, tap, spread in zip(counts, steps, taps, spreads, strict=True)
    ]
    if prod(extents) > _SPREAD * prod(taps) * prod(counts):
        return _gathered(x, lows, taps, counts, steps, spreads)
    box = _box(x, lows, extents)
    return as_strided(
        box,
        (x.shape[0], *taps, *counts),
        (
            box.strides[0],
            *(size * spread for size, spread in zip(box.strides[1:], spreads, strict=True)),
            *(size * step for size, step in zip(box.strides[1:], steps, strict=True)),
        ),
        writeable=False,
    )


def _gathered(
    x: NDArray[Any],
    lows: Sequence[int],
    taps: Sequence[int],
    counts: Sequence[int],
    steps: Sequence[int],
    spreads: Sequence[int],
) -> NDArray[Any]:
    """Windows whose elements lie far apart, taken axis by axis, from the last to the first."""
    for k in range(len(taps) - 1, -1, -1):
        positions = [
            lows[k] + tap * spreads[k] + n * steps[k]
            for tap in range(taps[k])
            for n in range(counts[k])
        ]
        length = x.shape[1 + k]
        met = [at for at, position in enumerate(positions) if 0 <= position < length]
        taken = np.zeros((*x.shape[: 1 + k], len(positions), *x.shape[2 + k :]), x.dtype)
        into: tuple[Any, ...] = (*(slice(None),) * (1 + k), met)
        taken[into] = x.take([positions[at] for at in met], axis=1 + k)
        x = taken.reshape(*x.shape[: 1 + k], taps[k], counts[k], *x.shape[2 + k :])
    axes = range(len(taps))
    return x.transpose(0, *(1 + 2 * k for k in axes), *(2 + 2 * k for k in axes))


def _box(x: NDArray[Any], lows: Sequence[int], extents: Sequence[int]) -> NDArray[Any]:
    """The part of one item from some positions on, with zeros around it."""
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
