"""Reference of Pow of each pair of elements: integers exactly, floats in decimal arithmetic."""

from __future__ import annotations

import math
from collections.abc import Mapping
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Any

from opmill_checks import elementary
from opmill_checks.indices import indices, ravel
from opmill_checks.rounding import FORMATS, element
from opmill_checks.value import TYPES, Value


def power(x: float, y: float) -> Any:
    """An exact number, one of 40 digits, or what is no number."""
    try:
        special = math.pow(x, y)
    except OverflowError:
        special = math.copysign(math.inf, x) if y % 2 == 1 else math.inf
    except ValueError:  # not defined: a root of a negative number, or a pole
        odd = y == math.floor(y) and y % 2 == 1
        return math.nan if x != 0 else math.copysign(math.inf, x) if odd else math.inf
    if x in (0, 1) or y == 0 or not (math.isfinite(x) and math.isfinite(y)):
        return special
    sign = -1 if x < 0 and y % 2 == 1 else 1
    with localcontext(elementary.CONTEXT):
        exponent = Decimal(y) * elementary.log(Decimal(abs(x)))
        if abs(exponent) > 1000:
            return sign * (math.inf if exponent > 0 else 0.0)
        return sign * Fraction(elementary.exp(exponent))


def whole_power(x: int, y: int, type: str) -> int:
    """Of integers: modulo 2^64, or the reciprocal truncated."""
    if y >= 0:
        return pow(x, y, 2**64)
    if x == 0:
        return -(2 ** (TYPES[type].width - 1))
    return (1 if y % 2 == 0 else x) if abs(x) == 1 else 0


def converted(type: str, number: Any) -> Any:
    """A power as an element; to integers truncated, NaN and what does not fit the least one."""
    if type in FORMATS:
        return element(type, number)
    limit = 2 ** (TYPES[type].width - 1)
    if isinstance(number, float) and not math.isfinite(number):
        return -limit
    nearest = element("double", number)  # a root that is not exact must not fall short of its end
    whole = math.trunc(nearest) if math.isfinite(nearest) else limit
    return whole if -limit <= whole < limit else -limit


def oracle(inputs: Mapping[str, Value], attributes: Mapping[str, Any]) -> dict[str, Value]:
    X, Y = inputs["X"], inputs["Y"]
    x, y = X.shape, Y.shape
    if attributes.get("broadcast") == 1:  # the axes of Y begin at an axis of X
        axis = attributes.get("axis")
        first = axis if isinstance(axis, int) and len(Y.items) != 1 else len(x) - len(y)
        y = y + (1,) * (len(x) - len(y) - first)
    rank = max(len(x), len(y))
    x, y = ((1,) * (rank - len(dims)) + dims for dims in (x, y))
    shape = tuple(q if p == 1 else p for p, q in zip(x, y, strict=True))
    items = []
    for index in indices(shape):
        a, b = (
            value.items[
                ravel([0 if dim == 1 else i for i, dim in zip(index, dims, strict=True)], dims)
            ]
            for value, dims in ((X, x), (Y, y))
        )
        if isinstance(a, int) and isinstance(b, int):
            items.append(element(X.type, whole_power(a, b, X.type)))
        else:
            items.append(converted(X.type, power(float(a), float(b))))
    return {"Z": Value(X.type, shape, tuple(items))}
