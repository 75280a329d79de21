"""Slow reference of the family quantize: exact quotients, rounded to a type by its elements."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from functools import cache
from typing import Any

from opmill_checks.rounding import FORMATS, rounded
from opmill_checks.value import TYPES, Value, array_of_bits, items_of, type_of_number


def oracle(
    inputs: Mapping[str, Value | None], attributes: Mapping[str, Any], *, float_quotients: bool
) -> dict[str, Value]:
    x, scale, zero = inputs["x"], inputs["y_scale"], inputs.get("y_zero_point")
    if x is None or scale is None:
        raise ValueError("x and y_scale are required")
    named = attributes.get("output_dtype", 0)
    type = type_of_number(named) if named else zero.type if zero is not None else "uint8"
    precision = attributes.get("precision", 0)
    of_scale = {"int32": "double", "float8e8m0": "float"}.get(scale.type, scale.type)
    of_scale = "float" if float_quotients else of_scale
    quotient = type_of_number(precision) if precision else of_scale
    saturate = attributes.get("saturate", 1) != 0
    axis, block = attributes.get("axis", 1), attributes.get("block_size", 0)
    items = []
    for position, item in enumerate(x.items):
        at = element(position, x.shape, scale.shape, axis, block)
        by = divided(number(item, quotient), number(scale.items[at], quotient), quotient)
        offset = zero.items[at] if zero is not None else 0
        items.append(quantized(by, offset, type, quotient, saturate))
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


def number(item: Any, type: str) -> float:
    """An item in the precision of the quotients."""
    return rounded(Fraction(item) if isinstance(item, int) and item else float(item), type)


def divided(a: float, b: float, type: str) -> float:
    """The quotient, rounded once."""
    if math.isnan(a) or math.isnan(b) or (math.isinf(a) and math.isinf(b)) or a == b == 0:
        return math.nan
    sign = math.copysign(1, a) * math.copysign(1, b)
    if math.isinf(a) or b == 0:
        return sign * math.inf
    if math.isinf(b) or a == 0:
        return sign * 0.0
    quotient = rounded(Fraction(a) / Fraction(b), type)
    return math.copysign(quotient, sign)


def quantized(by: float, zero: Any, type: str, quotient: str, saturate: bool) -> Any:
    if TYPES[type].kind == "integer":
        bits, signed = TYPES[type].width, not type.startswith("u")
        low, high = (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) if signed else (0, 2**bits - 1)
        if not math.isfinite(by):
            return high if by > 0 else low
        return min(max(round(Fraction(by)) + zero, low), high)
    if zero != 0:
        exact = math.isfinite(by) and math.isfinite(zero)
        by = rounded(Fraction(by) + Fraction(zero) if exact else by + zero, quotient)
    return nearest(by, type, saturate)


@cache
def elements(type: str) -> list[float]:
    """The numbers of a small float that are 0 or more, each the next after the one before."""
    size = 2 ** (TYPES[type].width - 1)
    items = items_of(array_of_bits(type, range(size)))
    return [item for item in items if math.isfinite(item)]


def nearest(value: float, type: str, saturate: bool) -> float:
    """The nearest element, of two that are as near the one with the even pattern."""
    assert type not in FORMATS
    numbers = elements(type)
    has_nan = TYPES[type].width == 8
    limited = saturate or not has_nan
    sign = math.copysign(1.0, value)
    if math.isnan(value):
        return math.nan if has_nan else 0.0
    beyond = math.inf if type == "float8e5m2" else math.nan
    if math.isinf(value):
        return sign * (numbers[-1] if limited else beyond)
    size = Fraction(abs(value))
    after = 2 * Fraction(numbers[-1]) - Fraction(numbers[-2])  # the next, if there were one more
    steps = [*map(Fraction, numbers), after]
    best = min(range(len(steps)), key=lambda k: (abs(steps[k] - size), k % 2))
    if best == len(numbers) or size > after:
        return sign * (numbers[-1] if limited else beyond)
    if numbers[best] == 0 and type.endswith("fnuz"):
        return 0.0
    return sign * numbers[best]
