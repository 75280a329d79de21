"""The bit patterns of IEEE 754's binary formats: one rounding, to the nearest, ties to even."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import NamedTuple

from opmill_gen.onnx_types import ElementType


class Format(NamedTuple):
    """A format: the bits of its exponent and of its fraction."""

    exponent: int
    fraction: int


FORMATS = {
    ElementType.FLOAT16: Format(5, 10),
    ElementType.BFLOAT16: Format(8, 7),
    ElementType.FLOAT: Format(8, 23),
    ElementType.DOUBLE: Format(11, 52),
}


def float_bits(element: ElementType, number: float | Fraction) -> int:
    """The pattern of the element that is nearest to ``number``."""
    exponent_bits, fraction_bits = FORMATS[element]
    negative = math.copysign(1, number) < 0 if isinstance(number, float) else number < 0
    sign: int = int(negative) << (exponent_bits + fraction_bits)
    infinity: int = (2**exponent_bits - 1) << fraction_bits
    if isinstance(number, float) and math.isnan(number):
        return sign | infinity | 1 << (fraction_bits - 1)
    if isinstance(number, float) and math.isinf(number):
        return sign | infinity
    magnitude = abs(Fraction(number))
    lowest: int = 2 - 2 ** (exponent_bits - 1)
    exponent = lowest
    if magnitude >= Fraction(2) ** lowest:
        exponent = magnitude.numerator.bit_length() - magnitude.denominator.bit_length()
        if Fraction(2) ** exponent > magnitude:
            exponent -= 1
    steps = round(magnitude / Fraction(2) ** (exponent - fraction_bits))
    pattern: int = ((exponent - lowest) << fraction_bits) + steps  # a carry goes into the exponent
    return sign | min(pattern, infinity)
