"""The NumPy kernel of MaxPool: one axis after the other, from the last to the first.

The first largest element of a window, in row-major order, is the first largest of its rows' first
largest ones; so windows may be taken apart axis by axis. Of each axis, either all windows are
compared at one tap after the other, or each window is searched, whichever loop is shorter.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

# A tap of an axis: the windows that have an element there, and these elements.
_Tap = tuple[slice, slice]


def compute(
    X: NDArray[Any],
    Y: NDArray[Any],
    Indices: NDArray[Any] | None = None,
    *,
    kernel: Sequence[int],
    strides: Sequence[int],
    dilations: Sequence[int],
    begin: Sequence[int],
    column_major: bool,
    channels_last: bool,
) -> None:
    """Write the largest elements to ``Y`` and, where it is given, their places to ``Indices``."""
    if channels_last:  # then there are no indices
        X, Y = np.moveaxis(X, -1, 1), np.moveaxis(Y, -1, 1)
    if not Y.size:
        return
    best, lowest = _comparable(X)
    positions = None
    if Indices is not None:
        positions = np.arange(X.size, dtype=np.int64).reshape(X.shape)
    with np.errstate(invalid="ignore"):  # NaN is compared with
        for axis in range(X.ndim - 1, 1, -1):
            k = axis - 2
            taps = (kernel[k], dilations[k], strides[k], begin[k])
            best, positions = _reduced(best, positions, lowest, axis, Y.shape[axis], *taps)
    if Y.dtype == best.dtype:
        Y[...] = best
    else:  # bfloat16 as float
        Y.view(np.uint16)[...] = best.view(np.uint32) >> 16
    if positions is not None and Indices is not None:
        Indices[...] = _column_major(positions, X.shape) if column_major else positions


def _comparable(X: NDArray[Any]) -> tuple[NDArray[Any], Any]:
    """The same numbers in a type that NumPy compares fast, and one below all others."""
    if X.dtype.kind in "iu":
        return X, np.iinfo(X.dtype).min
    if X.dtype.kind != "f":  # bfloat16 is the upper half of a float
        X = (np.ascontiguousarray(X).view(np.uint16).astype(np.uint32) << 16).view(np.float32)
    return X, -np.inf


def _reduced(
    x: NDArray[Any],
    positions: NDArray[Any] | None,
    lowest: Any,
    axis: int,
    extent: int,
    kernel: int,
    dilation: int,
    stride: int,
    begin: int,
) -> tuple[NDArray[Any], NDArray[Any] | None]:
    """The largest elements of the windows along one axis, and their places; -1 for no element."""
    length = x.shape[axis]
    shape = (*x.shape[:axis], extent, *x.shape[axis + 1 :])
    best = np.full(shape, lowest, x.dtype)
    found = None if positions is None else np.full(shape, -1, np.int64)
    # Windows lie from -begin on; no tap outside of these meets an element.
    first = max(0, (begin - (extent - 1) * stride + dilation - 1) // dilation)
    last = min(kernel, (length - 1 + begin) // dilation + 1)
    if last - first <= extent:
        for tap in range(first, last):
            windows, elements = _met(tap * dilation - begin, stride, extent, length)
            _take(best, found, x, positions, axis, windows, elements)
        return best, found
    for window in range(extent):
        start = window * stride - begin
        skipped = max(0, (dilation - 1 - start) // dilation)
        stop = min(length, start + (kernel - 1) * dilation + 1)
        elements = slice(start + skipped * dilation, stop, dilation)
        part = x[(slice(None),) * axis + (elements,)]
        if not part.shape[axis]:
            continue
        # argmax gives the first largest element, and takes NaN for the largest.
        at = np.expand_dims(np.argmax(part, axis), axis)
        into = (slice(None),) * axis + (slice(window, window + 1),)
        best[into] = np.take_along_axis(part, at, axis)
        if found is not None and positions is not None:
            found[into] = np.take_along_axis(
                positions[(slice(None),) * axis + (elements,)], at, axis
            )
    return best, found


def _met(offset: int, stride: int, extent: int, length: int) -> _Tap:
    """The windows of which a tap meets an element: window o meets ``o * stride + offset``."""
    first = max(0, -(offset // stride))
    last = min(extent, (length - 1 - offset) // stride + 1)
    if first >= last:
        return slice(0), slice(0)
    start, stop = offset + first * stride, offset + (last - 1) * stride + 1
    return slice(first, last), slice(start, stop, stride)


def _take(
    best: NDArray[Any],
    found: NDArray[Any] | None,
    x: NDArray[Any],
    positions: NDArray[Any] | None,
    axis: int,
    windows: slice,
    elements: slice,
) -> None:
    """Take one element of each window where it is the largest so far, or the first NaN."""
    before = (slice(None),) * axis
    best_so_far, new = best[(*before, windows)], x[(*before, elements)]
    better = new > best_so_far
    if x.dtype.kind == "f":
        better |= np.isnan(new) & ~np.isnan(best_so_far)
    if found is not None and positions is not None:
        spots, at = found[(*before, windows)], positions[(*before, elements)]
        np.copyto(spots, at, where=better | (spots < 0))
    np.copyto(best_so_far, new, where=better)


def _column_major(positions: NDArray[Any], shape: tuple[int, ...]) -> NDArray[Any]:
    """Places that count the first spatial axis fastest, channel by channel."""
    size = int(np.prod(shape[2:]))
    channel, rest = np.divmod(positions, max(size, 1))
    if not size:
        return positions
    indices = np.unravel_index(np.maximum(rest, 0), shape[2:])
    renumbered = channel * size + np.ravel_multi_index(indices, shape[2:], order="F")
    return np.where(positions < 0, -1, renumbered)
