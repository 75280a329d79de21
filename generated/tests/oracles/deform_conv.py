"""Slow reference of DeformConv: each output is an exact sum over its window, rounded once."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from opmill_checks.indices import indices, ravel
from opmill_checks.rounding import rounded
from opmill_checks.sums import plus, total_of
from opmill_checks.value import Value


def oracle(inputs: Mapping[str, Value | None], attributes: Mapping[str, Any]) -> dict[str, Value]:
    x, w, offset = inputs["X"], inputs["W"], inputs["offset"]
    if x is None or w is None or offset is None:
        raise ValueError("X, W and offset are required")
    b, mask = inputs.get("B"), inputs.get("mask")
    kernel, axes = w.shape[2:], len(x.shape) - 2
    strides = attributes.get("strides", [1] * axes)
    dilations = attributes.get("dilations", [1] * axes)
    pads = attributes.get("pads", [0] * axes)
    maps = w.shape[0] // attributes.get("group", 1)
    width = x.shape[1] // attributes.get("offset_group", 1)
    shape = (x.shape[0], w.shape[0], *offset.shape[2:])
    items = []
    for n, m, *index in indices(shape):
        pairs = []
        for c, *tap in indices(w.shape[1:]):
            channel = m // maps * w.shape[1] + c
            row = channel // width * math.prod(kernel) + ravel(tap, kernel)
            at = [
                index[a] * strides[a]
                - pads[a]
                + tap[a] * dilations[a]
                + offset.items[ravel((n, row * axes + a, *index), offset.shape)]
                for a in range(axes)
            ]
            value = sample(x, (n, channel), at)
            if mask is not None:
                value = times(value, mask.items[ravel((n, row, *index), mask.shape)])
            pairs.append((value, w.items[ravel((m, c, *tap), w.shape)]))
        total = total_of(pairs)
        items.append(rounded(total if b is None else plus(total, b.items[m]), x.type))
    return {"Y": Value(x.type, shape, tuple(items))}


def times(a: Any, b: float) -> Any:
    if math.isfinite(a) and math.isfinite(b):
        return Fraction(a) * Fraction(b)
    return float(a) * b


def sample(x: Value, image: tuple[int, int], at: Sequence[float]) -> Any:
    """The interpolated element; those outside are 0, and those without a weight do not count."""
    sides = []
    for position, size in zip(at, x.shape[2:], strict=True):
        if not -1 < position < size:
            return Fraction(0)
        low = math.floor(position)
        upper = Fraction(position) - low
        both = ((low, 1 - upper), (low + 1, upper))
        sides.append([(i, weight) for i, weight in both if weight and 0 <= i < size])
    parts = []
    for corner in itertools.product(*sides):
        value = x.items[ravel((*image, *(i for i, _ in corner)), x.shape)]
        parts.append((math.prod((weight for _, weight in corner), start=Fraction(1)), value))
    return total_of(parts)
