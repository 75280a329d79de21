"""The elements of the windows of a pool, for entries that gather them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import product

from opmill._convert.facts import Refusal

_MAX_ELEMENTS = 1 << 22
"""Maximum number of elements of all windows."""

IN_PADDING, OUTSIDE = -1, -2


def windows(
    dims: Sequence[int],
    counts: Sequence[int],
    kernel_shape: Sequence[int],
    strides: Sequence[int] | None,
    dilations: Sequence[int] | None,
    pads: Sequence[int] | None,
    auto_pad: str,
) -> list[list[int]]:
    """Positions of the elements of each window, counted over all spatial axes.

    Args:
        dims: the spatial sizes of the input.
        counts: the number of windows along each axis.
        kernel_shape: the attribute, like those that follow.
        strides: all 1 where absent.
        dilations: all 1 where absent.
        pads: all 0 where absent.
        auto_pad: ``NOTSET``, ``VALID``, ``SAME_UPPER`` or ``SAME_LOWER``.

    Returns:
        A list for each window; -1 is an element of the padding, -2 one behind it.
    """
    if not 0 < math.prod(counts) * math.prod(kernel_shape) <= _MAX_ELEMENTS:
        raise Refusal(f"the windows have no elements, or more than {_MAX_ELEMENTS}")
    rank = len(dims)
    steps, gaps = strides or [1] * rank, dilations or [1] * rank
    padding = _padding(dims, counts, kernel_shape, steps, gaps, pads, auto_pad)
    lines = [
        [
            [
                at if 0 <= at < size else IN_PADDING if at < size + end else OUTSIDE
                for at in range(number * step - begin, number * step - begin + kernel * gap, gap)
            ]
            for number in range(count)
        ]
        for size, count, kernel, step, gap, (begin, end) in zip(
            dims, counts, kernel_shape, steps, gaps, padding, strict=True
        )
    ]
    return [[_position(taps, dims) for taps in product(*window)] for window in product(*lines)]


def old_counts(
    dims: Sequence[int],
    kernel_shape: Sequence[int],
    strides: Sequence[int] | None,
    dilations: Sequence[int] | None,
    pads: Sequence[int] | None,
    auto_pad: str,
    ceil_mode: int,
) -> list[int]:
    """Count the windows of a pool before opset 22 along each axis; padding is explicit."""
    rank, found = len(dims), []
    padding = pads if pads and auto_pad == "NOTSET" else [0] * (2 * rank)
    for axis, (size, kernel) in enumerate(zip(dims, kernel_shape, strict=True)):
        step, gap = (strides or [1] * rank)[axis], (dilations or [1] * rank)[axis]
        begin = size + padding[axis]
        left = begin + padding[rank + axis] - (kernel - 1) * gap - 1
        rounds_up = ceil_mode and auto_pad == "NOTSET"
        count = (-(-left // step) if rounds_up else left // step) + 1
        found.append(count - 1 if rounds_up and (count - 1) * step >= begin else count)
    return found


def new_counts(
    dims: Sequence[int],
    strides: Sequence[int] | None,
    pads: Sequence[int] | None,
    counts: Sequence[int],
) -> list[int]:
    """Count the windows from opset 22 on: of the older ones, those that begin in the input."""
    rank = len(dims)
    begins = (pads or [0] * rank)[:rank]
    steps = strides or [1] * rank
    return [
        min(count, -(-(size + begin) // step))
        for count, size, begin, step in zip(counts, dims, begins, steps, strict=True)
    ]


def _padding(
    dims: Sequence[int],
    counts: Sequence[int],
    kernel_shape: Sequence[int],
    steps: Sequence[int],
    gaps: Sequence[int],
    pads: Sequence[int] | None,
    auto_pad: str,
) -> list[tuple[int, int]]:
    """Padding before and after each axis."""
    rank = len(dims)
    if not auto_pad.startswith("SAME"):
        written = pads if pads and auto_pad == "NOTSET" else [0] * (2 * rank)
        return list(zip(written[:rank], written[rank:], strict=True))
    found = []
    for size, count, kernel, step, gap in zip(
        dims, counts, kernel_shape, steps, gaps, strict=True
    ):
        total = max(0, (count - 1) * step + (kernel - 1) * gap + 1 - size)
        half, rest = total // 2, total - total // 2
        found.append((half, rest) if auto_pad == "SAME_UPPER" else (rest, half))
    return found


def _position(taps: Sequence[int], dims: Sequence[int]) -> int:
    """The position of an element in a flat array; the smallest mark if it is in none."""
    if min(taps) < 0:
        return min(taps)
    position = 0
    for tap, size in zip(taps, dims, strict=True):
        position = position * size + tap
    return position
