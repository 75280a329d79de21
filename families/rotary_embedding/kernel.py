"""The NumPy kernel of RotaryEmbedding: all pairs at once, in double."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from opmill._runtime.kernels.bounds import within
from opmill._runtime.kernels.indices import movable


def compute(
    X: NDArray[Any],
    cos_cache: NDArray[Any],
    sin_cache: NDArray[Any],
    position_ids: NDArray[Any] | None,
    Y: NDArray[Any],
    *,
    heads: int,
    length: int,
    size: int,
    pairs: int,
    separate: bool,
    interleaved: bool,
) -> None:
    """Write ``X``, the first ``2 * pairs`` elements of each head rotated, to ``Y``.

    A vector of positions has that of the first token alone.

    Raises:
        ContentsError: a position is out of range. Nothing has been written then.
    """
    cosine, sine = cos_cache, sin_cache
    if position_ids is not None and position_ids.ndim == 1:
        (first_row,) = within(position_ids, "position_ids", 0, cos_cache.shape[0] - length)
        part = slice(first_row, first_row + length)
        cosine, sine = cos_cache[np.newaxis, part], sin_cache[np.newaxis, part]
    elif position_ids is not None:
        rows = within(position_ids, "position_ids", 0, cos_cache.shape[0] - 1)
        if rows.size:
            cosine, sine = cos_cache[rows], sin_cache[rows]
    if Y.size == 0:
        return
    np.copyto(movable(Y), movable(X))  # what is not rotated keeps its bits
    axes = (slice(None), np.newaxis) if separate else (slice(None), slice(None), np.newaxis)
    source = X if separate else X.reshape(X.shape[0], length, heads, size)
    target = Y if separate else Y.reshape(X.shape[0], length, heads, size)
    first, second = slice(0, pairs), slice(pairs, 2 * pairs)
    if interleaved:
        first, second = slice(0, 2 * pairs, 2), slice(1, 2 * pairs, 2)
    with np.errstate(all="ignore"):  # infinities and NaNs are legal
        c, s = cosine.astype(np.float64)[axes], sine.astype(np.float64)[axes]
        x1, x2 = source[..., first].astype(np.float64), source[..., second].astype(np.float64)
        target[..., first] = (c * x1 - s * x2).astype(Y.dtype)
        target[..., second] = (s * x1 + c * x2).astype(Y.dtype)
