"""Copies side by side, for the NumPy kernels that move elements and never compute with them.

Assigning what NumPy broadcasts is as fast as memory where runs of adjacent elements are long, and
slow where they are short. So axes are joined until each one repeats something, the innermost are
repeated until runs are long, and the rest is one assignment.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import isqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

# From so many bytes on, assigning a run takes longer than getting to the next one.
_LONG = 128

# The bytes of a part that is written in several passes: few enough to stay in a cache.
_CACHED = 1 << 18


def repeat(source: NDArray[Any], counts: Sequence[int], target: NDArray[Any]) -> None:
    """Write copies of ``source``, so many side by side along each axis, to ``target``."""
    if target.dtype.kind == "V":
        # The types of ml_dtypes: NumPy copies what it does not know one element at a time.
        bits = f"u{target.itemsize}"
        source, target = source.view(bits), target.view(bits)
    if target.shape == source.shape:
        target[...] = source
        return
    if target.nbytes == 0:
        return

    # Pairs of a count and an extent. All these numbers but the first and the last are above 1, and
    # their product is the size of the target, so that NumPy has as many axes as they ask for.
    pairs = [(1, 1)]
    for count, extent in zip(counts, source.shape, strict=True):
        last_count, last_extent = pairs[-1]
        if count == 1:
            pairs[-1] = last_count, last_extent * extent
        elif last_extent == 1:
            pairs[-1] = last_count * count, extent
        else:
            pairs.append((count, extent))

    run = 1
    while True:
        count, extent = pairs.pop()
        run *= extent
        runs = source.reshape(-1, run)
        if not pairs or pairs == [(1, len(runs))]:
            repeat_runs(runs, target.reshape(-1, count, run))
            return
        # What counts references, or holds strings, is not worth copying.
        if run * target.itemsize >= _LONG or target.dtype.hasobject:
            break
        source = np.empty((len(runs), count, run), target.dtype)
        repeat_runs(runs, source)
        run *= count

    shape = [size for pair in pairs for size in pair]
    origin = [size for _, extent in pairs for size in (1, extent)]
    np.copyto(target.reshape(*shape, count, run), runs.reshape(*origin, 1, run))


def repeat_runs(runs: NDArray[Any], target: NDArray[Any]) -> None:
    """Write each run of ``runs``, which is (outer, run), to ``target``: (outer, count, run)."""
    outer, count, run = target.shape
    size = run * target.itemsize
    if size >= _LONG or target.dtype.hasobject or (run == 1 and count > 4):  # a fill, where 1
        np.copyto(target, runs[:, np.newaxis])
        return
    # Where a run has many copies, some of them make a longer run, which the others are copied
    # from. With about the square root of all, both steps take the same time.
    some = count if count < 16 else isqrt(3 * count)
    whole = count - count % some
    step = max(1, _CACHED // (some * size))
    for first in range(0, outer, step):
        part = target[first : first + step]
        copies = part if some == count else np.empty((len(part), some, run), target.dtype)
        _repeat_short(runs[first : first + step], copies)
        if some < count:
            longer = part[:, :whole].reshape(len(part), whole // some, some * run)
            longer[...] = copies.reshape(len(part), 1, some * run)
            part[:, whole:] = copies[:, : count - whole]


def _repeat_short(runs: NDArray[Any], target: NDArray[Any]) -> None:
    """As ``_repeat_runs``: by column, by element or by run, the quickest for runs so short."""
    outer, count, run = target.shape
    rows = target.reshape(outer, count * run)
    if run == 1:
        for column in range(count):
            rows[:, column] = runs[:, 0]
    elif run == 3:
        runs.take(np.arange(count * run) % run, axis=1, out=rows, mode="clip")
    else:
        runs[:, np.newaxis].take(np.zeros(count, np.intp), axis=1, out=target, mode="clip")
