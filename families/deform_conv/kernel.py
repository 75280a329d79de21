"""The NumPy kernel of DeformConv: elements are gathered as columns, for a product of matrices."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from opmill._runtime.kernels.halves import widened
from opmill._runtime.types import Array

_BLOCK = 1 << 20
"""About how many elements are gathered at a time."""


def compute(
    X: NDArray[Any],
    W: NDArray[Any],
    offset: NDArray[Any],
    B: NDArray[Any] | None,
    mask: NDArray[Any] | None,
    Y: NDArray[Any],
    *,
    begin: Sequence[int],
    dilations: Sequence[int],
    group: int,
    offset_group: int,
    strides: Sequence[int],
) -> None:
    """Write the convolution to ``Y``; the 16-bit floats are summed in float32 and rounded once."""
    if not Y.size:
        return
    taps, axes, count = math.prod(W.shape[2:]), len(begin), math.prod(Y.shape[2:])
    channels, maps = X.shape[1] // group, Y.shape[1] // group
    width = X.shape[1] // offset_group
    kernels = widened(W).reshape(group, maps, channels * taps)
    starts = _starts(Y.shape[2:], W.shape[2:], begin, dilations, strides)
    block = max(_BLOCK // max(X.shape[1] * taps, 1), 1)
    with np.errstate(all="ignore"):  # overflow and NaN are results here
        for n in range(Y.shape[0]):
            image = widened(X[n]).reshape(offset_group, width, math.prod(X.shape[2:]))
            moves = offset[n].reshape(offset_group, taps, axes, count)
            factors = None if mask is None else mask[n].reshape(offset_group, taps, count)
            result = Y[n].reshape(Y.shape[1], count)
            for first in range(0, count, block):
                part = slice(first, first + block)
                columns = np.stack(
                    [
                        _columns(image[k], X.shape[2:], starts[..., part] + moves[k][..., part])
                        for k in range(offset_group)
                    ]
                )
                if factors is not None:
                    columns *= widened(factors[..., part])[:, None]
                sums = kernels @ columns.reshape(group, channels * taps, columns.shape[-1])
                sums = sums.reshape(Y.shape[1], -1)
                result[:, part] = sums if B is None else sums + widened(B)[:, None]


def _starts(
    size: Sequence[int],
    kernel: Sequence[int],
    begin: Sequence[int],
    dilations: Sequence[int],
    strides: Sequence[int],
) -> NDArray[np.float64]:
    """The positions that kernel elements read without an offset: axes of taps, axes, positions."""
    elements = np.indices(size).reshape(len(size), -1)
    taps = np.indices(kernel).reshape(len(kernel), -1).T
    moved = elements * np.array(strides)[:, None] - np.array(begin)[:, None]
    starts: NDArray[np.float64] = (moved + (taps * np.array(dilations))[:, :, None]) * 1.0
    return starts


def _columns(image: Array, shape: Sequence[int], positions: NDArray[np.float64]) -> Array:
    """The interpolated elements of each channel: channels, taps, places. A weight of 0 does not
    look at its element."""
    result = np.zeros((image.shape[0], positions.shape[0], positions.shape[2]), image.dtype)
    sides = []
    for axis, size in enumerate(shape):
        x = positions[:, axis]
        inside = (x > -1) & (x < size)  # no NaN is
        x = np.where(inside, x, 0)
        low = np.floor(x).astype(np.int64)
        stride = math.prod(shape[axis + 1 :])
        found = []
        for at, weight in ((low, 1 - (x - low)), (low + 1, x - low)):
            used = inside & (at >= 0) & (at < size)
            found.append((np.where(used, at, 0) * stride, np.where(used, weight, 0)))
        if size == 1:  # one element at most: 0 is the one before or behind the position
            found = [(found[0][0] * 0, found[0][1] + np.where(low == -1, found[1][1], 0))]
        sides.append(found)
    if image.shape[1] == 0:
        return result
    for corner in itertools.product(*sides):
        weights = np.ones(positions.shape[::2])
        at = np.zeros(positions.shape[::2], np.int64)
        for position, weight in corner:
            at += position
            weights *= weight
        terms = image[:, at] * weights.astype(image.dtype)
        terms[:, weights == 0] = 0
        result += terms
    return result
