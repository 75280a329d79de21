"""Slow reference of MaxRoiPool: each bin asks every pixel of its image, in exact numbers."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from opmill_checks.contents import RefusedContents
from opmill_checks.indices import indices, ravel
from opmill_checks.rounding import attribute_value
from opmill_checks.value import Value


def away(number: Fraction) -> int:
    """The nearest whole number; halves go away from 0."""
    whole = math.floor(abs(number) + Fraction(1, 2))
    return -whole if number < 0 else whole


def oracle(
    inputs: Mapping[str, Value], attributes: Mapping[str, Any], *, defaults: Mapping[str, Any]
) -> dict[str, Value]:
    x, rois = inputs["X"], inputs["rois"]
    scale = attribute_value(attributes.get("spatial_scale", defaults["spatial_scale"]))
    for position, number in enumerate(rois.items):
        row, column = divmod(position, 5)
        if column == 0 and not (0 <= number < x.shape[0] and number == math.floor(number)):
            raise RefusedContents(position, f"expected a whole number from 0 to {x.shape[0] - 1}")
    for position, number in enumerate(rois.items):
        if position % 5 and not abs(number * scale) <= 2**30:
            raise RefusedContents(position, "expected -2^30 to 2^30")
    shape = (rois.shape[0], x.shape[1], *attributes["pooled_shape"])
    sources: list[int | None] = []
    for region, channel, *bin in indices(shape):
        batch, x1, y1, x2, y2 = rois.items[5 * region : 5 * region + 5]
        found = []
        for axis, (first, last) in enumerate(((y1, y2), (x1, x2))):
            start = away(Fraction(first) * Fraction(scale))
            size = max(away(Fraction(last) * Fraction(scale)) - start + 1, 1)
            part = Fraction(size, shape[2 + axis])
            begin = start + math.floor(bin[axis] * part)
            end = start + math.ceil((bin[axis] + 1) * part)
            found.append([k for k in range(x.shape[2 + axis]) if begin <= k < end])
        best: int | None = None
        for row in found[0]:
            for column in found[1]:
                at = ravel((int(batch), channel, row, column), x.shape)
                if best is None or is_better(x.items[at], x.items[best]):
                    best = at
        sources.append(best)
    both = Value(
        x.type, (len(x.items) + 1,), (*x.items, 0.0), None if x.bits is None else (*x.bits, 0)
    )
    return {"Y": both.take(shape, [len(x.items) if at is None else at for at in sources])}


def is_better(number: float, best: float) -> bool:
    """Return whether it is larger, or the first NaN."""
    return not math.isnan(best) and (math.isnan(number) or number > best)
