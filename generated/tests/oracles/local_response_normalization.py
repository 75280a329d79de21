"""Elements divided by powers of sums of squares, one after the other, in Python's floats."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from opmill_checks.moments import quotient, total
from opmill_checks.rounding import attribute_value, rounded
from opmill_checks.value import Value


def oracle(
    inputs: Mapping[str, Value], attributes: Mapping[str, Any], *, defaults: Mapping[str, Any]
) -> dict[str, Value]:
    x = inputs["X"]
    given = {**defaults, **attributes}
    alpha, beta, bias = (attribute_value(given[name]) for name in ("alpha", "beta", "bias"))
    size, channels, plane = given["size"], x.shape[1], math.prod(x.shape[2:])
    items = []
    for position, number in enumerate(x.items):
        channel = position // plane % channels
        first = max(0, channel - (size - 1) // 2)
        last = min(channels - 1, channel + size // 2)
        near = [x.items[position + (at - channel) * plane] for at in range(first, last + 1)]
        base = bias + alpha / size * total([term * term for term in near])
        items.append(rounded(quotient(number, power(base, beta)), x.type))
    return {"Y": Value(x.type, x.shape, tuple(items))}


def power(base: float, exponent: float) -> float:
    """The power as C's `pow` gives it."""
    try:
        return math.pow(base, exponent)
    except OverflowError:
        return math.inf
    except ValueError:  # a negative base and a fraction, or 0 and a negative exponent
        return math.nan if base < 0 else math.inf
