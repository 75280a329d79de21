"""Slow reference of the family dequantize: exact differences, a product of doubles."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from opmill_checks.rounding import rounded
from opmill_checks.value import Value, type_of_number


def oracle(inputs: Mapping[str, Value | None], attributes: Mapping[str, Any]) -> dict[str, Value]:
    x, scale, zero = inputs["x"], inputs["x_scale"], inputs.get("x_zero_point")
    if x is None or scale is None:
        raise ValueError("x and x_scale are required")
    named = attributes.get("output_dtype", 0)
    type = type_of_number(named) if named else scale.type
    axis, block = attributes.get("axis", 1), attributes.get("block_size", 0)
    items = []
    for position, item in enumerate(x.items):
        at = element(position, x.shape, scale.shape, axis, block)
        offset = zero.items[at] if zero is not None else 0
        items.append(rounded(product(float(item), float(offset), scale.items[at]), type))
    return {"y": Value(type, x.shape, tuple(items))}


def element(
    position: int, shape: tuple[int, ...], scale: tuple[int, ...], axis: int, block: int
) -> int:
    """The position of an element's scale."""
    if scale in ((), (1,)):
        return 0
    index = []
    for dim in reversed(shape):
        index.insert(0, position % dim)
        position //= dim
    axis %= len(shape)
    if block == 0:
        return index[axis]
    index[axis] //= block
    found = 0
    for dim, i in zip(scale, index, strict=True):
        found = found * dim + i
    return found


def product(item: float, zero: float, scale: float) -> float:
    """(item - zero) * scale as a double; the difference of all types' elements is one exactly."""
    difference = item - zero
    if not (math.isfinite(difference) and math.isfinite(scale) and difference and scale):
        return difference * scale
    return rounded(Fraction(difference) * Fraction(scale), "double")
