"""Slow reference of ConvTranspose: each input element scattered over the outputs it reaches.

Finite sums are exact, and rounded once, to the output's type. A sum that is exactly zero is +0,
whatever the signs of its terms; one that is too small for the type is a zero of the sum's sign.
Terms that are infinite or NaN, and infinity times zero, go by the rules of IEEE 754.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

from opmill_checks.indices import indices, ravel
from opmill_checks.rounding import rounded
from opmill_checks.value import Value


def oracle(inputs: Mapping[str, Value | None], attributes: Mapping[str, Any]) -> dict[str, Value]:
    x, w, b = inputs["X"], inputs["W"], inputs.get("B")
    if x is None or w is None:
        raise ValueError("X and W are required")
    pads = inputs.get("Pads")
    if pads is not None:
        attributes = {**attributes, "pads": pads.items}
    batch, channels = x.shape[:2]
    group = attributes.get("group", 1)
    group_channels, group_maps = channels // group, w.shape[1]
    maps = group_maps * group
    extents, begins = geometry(x.shape[2:], w.shape[2:], attributes)
    reached = list(scatter(x.shape[2:], w.shape[2:], extents, begins, attributes))
    x_size, w_size, y_size = math.prod(x.shape[2:]), math.prod(w.shape[2:]), math.prod(extents)

    x_whole, x_unit = in_units(x.items)
    w_whole, w_unit = in_units(w.items)
    sums = [0] * (batch * maps * y_size)  # of the finite products, in units of x_unit * w_unit
    special: dict[int, float] = {}  # the sums that an infinity or a NaN went into
    for n in range(batch):
        for c in range(channels):
            for m in range(group_maps):
                from_x = (n * channels + c) * x_size
                from_w = (c * group_maps + m) * w_size
                to_y = (n * maps + c // group_channels * group_maps + m) * y_size
                for i, j, k in reached:
                    p, q = x_whole[from_x + i], w_whole[from_w + j]
                    if p is None or q is None:
                        term = x.items[from_x + i] * w.items[from_w + j]
                        special[to_y + k] = special.get(to_y + k, 0.0) + term
                    else:
                        sums[to_y + k] += p * q

    items = []
    for position, total in enumerate(sums):
        bias = 0.0 if b is None else b.items[position // y_size % maps]
        if position in special or not math.isfinite(bias):
            items.append(special.get(position, 0.0) + bias)
        else:
            items.append(rounded(total * x_unit * w_unit + Fraction(bias), x.type))
    return {"Y": Value(x.type, (batch, maps, *extents), tuple(items))}


def geometry(
    x_shape: Sequence[int], w_shape: Sequence[int], attributes: Mapping[str, Any]
) -> tuple[list[int], list[int]]:
    """The output's spatial shape, and how much is cropped at the beginning of each axis."""
    rank = len(x_shape)
    strides = attributes.get("strides", [1] * rank)
    dilations = attributes.get("dilations", [1] * rank)
    output_padding = attributes.get("output_padding", [0] * rank)
    pads = attributes.get("pads", [0] * (2 * rank))
    auto_pad = attributes.get("auto_pad", "NOTSET")
    extents, begins = [], []
    for axis in range(rank):
        kernel = (w_shape[axis] - 1) * dilations[axis] + 1
        natural = strides[axis] * (x_shape[axis] - 1) + output_padding[axis] + kernel
        if "output_shape" in attributes:
            extent = attributes["output_shape"][axis]
            begin = beginning(max(0, natural - extent), auto_pad)
        elif auto_pad in ("SAME_UPPER", "SAME_LOWER"):
            total = max(0, natural - x_shape[axis] * strides[axis])
            extent = natural - total
            begin = beginning(total, auto_pad)
        else:  # there are pads beside VALID only where they are an input
            begin = pads[axis]
            extent = natural - begin - pads[rank + axis]
        extents.append(extent)
        begins.append(begin)
    return extents, begins


def beginning(total: int, auto_pad: str) -> int:
    """The part of a crop at the beginning, which is the larger one but for SAME_UPPER."""
    return total // 2 if auto_pad == "SAME_UPPER" else total - total // 2


def scatter(
    x_shape: Sequence[int],
    w_shape: Sequence[int],
    extents: Sequence[int],
    begins: Sequence[int],
    attributes: Mapping[str, Any],
) -> Iterator[tuple[int, int, int]]:
    """The positions of an input element, a tap, and the output element of their product."""
    rank = len(x_shape)
    strides = attributes.get("strides", [1] * rank)
    dilations = attributes.get("dilations", [1] * rank)
    for x in indices(x_shape):
        for j in indices(w_shape):
            y = [x[a] * strides[a] + j[a] * dilations[a] - begins[a] for a in range(rank)]
            if all(0 <= y[a] < extents[a] for a in range(rank)):
                yield ravel(x, x_shape), ravel(j, w_shape), ravel(y, extents)


def in_units(items: Sequence[float]) -> tuple[list[int | None], Fraction]:
    """Finite numbers as whole multiples of a unit, which there is, as all are binary; else None."""
    ratios = [item.as_integer_ratio() if math.isfinite(item) else None for item in items]
    finest = max((ratio[1] for ratio in ratios if ratio is not None), default=1)
    whole = [None if ratio is None else ratio[0] * (finest // ratio[1]) for ratio in ratios]
    return whole, Fraction(1, finest)
