"""Reference of QLinearSoftmax, a line at a time, with 40 digits."""

from __future__ import annotations

import math
from collections.abc import Mapping
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Any

from opmill_checks import elementary
from opmill_checks.quantized import limited, over
from opmill_checks.value import Value


def oracle(
    inputs: Mapping[str, Value | None],
    attributes: Mapping[str, Any],
    *,
    defaults: Mapping[str, Any],
) -> dict[str, Value]:
    given = {**defaults, **attributes}
    x, scale, out = inputs["X"], inputs["X_scale"], inputs["y_scale"]
    zero = inputs["y_zero_point"]
    assert x is not None
    assert scale is not None
    assert out is not None
    assert zero is not None
    axis = given["axis"] % len(x.shape)
    end = axis + 1 if given["opset"] >= 13 else len(x.shape)
    length, step = math.prod(x.shape[axis:end]), math.prod(x.shape[end:])
    parts = over(1.0, out.items[0])
    parts = math.floor(parts) if math.isfinite(parts) else parts
    items = [0] * len(x.items)
    for line in range(len(items) // length if length else 0):
        first = line // step * step * length + line % step
        positions = range(first, first + length * step, step)
        top = max(x.items[position] for position in positions)
        powers = {
            value: power(scale.items[0], value - top) for value in {x.items[p] for p in positions}
        }
        total = sum(powers[x.items[position]] for position in positions)
        for position in positions:
            share = powers[x.items[position]] / total
            exact = share * Fraction(parts) if math.isfinite(parts) else float(share) * parts
            items[position] = rounded_to(exact, zero.items[0], x.type)
    return {"Y": Value(x.type, x.shape, tuple(items))}


def power(scale: float, difference: int) -> Fraction:
    """The exponential of a difference of 0 or less times the scale."""
    with localcontext(elementary.CONTEXT):
        return Fraction((Decimal(scale) * difference).exp())


def rounded_to(number: Any, zero: int, type: str) -> int:
    """The nearest integer, of two the higher one, moved and limited."""
    if isinstance(number, Fraction):
        number = float(math.floor(number + Fraction(1, 2)))
    return limited(number, zero, type)
