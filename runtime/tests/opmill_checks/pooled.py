"""The windows of poolings, for oracles: they need nothing that draws calls."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any


def windows(
    axis: int, length: int, attributes: Mapping[str, Any], start_in_input: bool
) -> Iterator[tuple[list[int], int]]:
    """The positions of each window along an axis, the input being at 0 to length - 1.

    With each, how many of its taps lie in the input or its padding.
    """
    rank = len(attributes["kernel_shape"])
    kernel = attributes["kernel_shape"][axis]
    stride = attributes.get("strides", [1] * rank)[axis]
    dilation = attributes.get("dilations", [1] * rank)[axis]
    pads = attributes.get("pads", [0] * (2 * rank))
    before, after = pads[axis], pads[axis + rank]
    auto_pad = attributes.get("auto_pad", "NOTSET")
    reach = dilation * (kernel - 1) + 1
    if auto_pad.startswith("SAME"):
        count = math.ceil(length / stride)
        missing = max(0, (count - 1) * stride + reach - length)
        before = math.ceil(missing / 2) if auto_pad == "SAME_LOWER" else math.floor(missing / 2)
        after = missing - before
    else:
        rounded = math.ceil if attributes.get("ceil_mode") and auto_pad == "NOTSET" else math.floor
        count = rounded((length + before + after - reach) / stride + 1)
        if rounded is math.ceil and (count - 1) * stride >= length + before:
            count -= 1
    for number in range(count):
        start = number * stride - before
        if start_in_input and start >= length and auto_pad == "NOTSET":
            return
        taps = range(start, start + reach, dilation)
        inside = [position for position in taps if 0 <= position < length]
        yield inside, sum(-before <= position < length + after for position in taps)
