"""Windows, point by point, with fractions of a turn that are exact."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from opmill_checks.rounding import FORMATS, rounded
from opmill_checks.value import Value, type_of_number

FACTORS = {
    "blackman": (Fraction(42, 100), Fraction(50, 100), Fraction(8, 100)),
    "hamming": (Fraction(25, 46), Fraction(21, 46), Fraction(0)),
    "hann": (Fraction(1, 2), Fraction(1, 2), Fraction(0)),
}


def cosine(turn: Fraction) -> Fraction:
    """The cosine of a share of a turn; exact where it is whole."""
    turn %= 1
    quarters = 4 * turn
    if quarters.denominator == 1:
        return Fraction((1, 0, -1, 0)[quarters.numerator])
    return Fraction(math.cos(2 * math.pi * float(turn)))


def oracle(
    inputs: Mapping[str, Value], attributes: Mapping[str, Any], *, window: str
) -> dict[str, Value]:
    (size,) = inputs["size"].items
    type = type_of_number(attributes.get("output_datatype", 1))
    period = size if attributes.get("periodic", 1) != 0 else size - 1
    constant, first, second = FACTORS[window]
    items: list[Any] = []
    for i in range(size):
        if period == 0:
            items.append(math.nan if type in FORMATS else 0)
            continue
        turn = Fraction(i, period)
        number = constant - first * cosine(turn) + second * cosine(2 * turn)
        items.append(rounded(number, type) if type in FORMATS else int(number))
    return {"output": Value(type, (size,), tuple(items))}
