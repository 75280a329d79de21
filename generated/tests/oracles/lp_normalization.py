"""Lines divided by their norms, one after the other, exactly."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from opmill_checks.rounding import rounded
from opmill_checks.value import Value


def oracle(
    inputs: Mapping[str, Value], attributes: Mapping[str, Any], *, defaults: Mapping[str, Any]
) -> dict[str, Value]:
    x = inputs["input"]
    given = {**defaults, **attributes}
    axis = given["axis"] % len(x.shape)
    step, length = math.prod(x.shape[axis + 1 :]), x.shape[axis]
    items = [0.0] * len(x.items)
    for first in range(len(items)):
        if first // step % length == 0:  # it begins a line
            positions = range(first, first + length * step, step)
            norm = norm_of([x.items[position] for position in positions], given["p"])
            for position in positions:
                items[position] = (
                    0.0 if norm == 0 else rounded(divided(x.items[position], norm), x.type)
                )
    return {"output": Value(x.type, x.shape, tuple(items))}


def norm_of(line: list[float], p: int) -> Fraction | float:
    """An exact sum; a root to 2^-200 of it; NaN or infinite as the line is."""
    if not all(map(math.isfinite, line)):
        return math.nan if any(map(math.isnan, line)) else math.inf
    exact = sum((abs(Fraction(number)) ** p for number in line), Fraction(0))
    if p == 1 or exact == 0:
        return exact
    shift = 2 * (220 + max(0, exact.denominator.bit_length()))
    return Fraction(math.isqrt(int(exact * 2**shift)), 2 ** (shift // 2))


def divided(number: float, norm: Fraction | float) -> Fraction | float:
    if isinstance(norm, Fraction):
        return Fraction(number) / norm
    return number / norm if math.isinf(norm) and math.isfinite(number) else math.nan
