"""Bit patterns of floats: IEEE 754's formats, rounded once, ties to even; and narrower ones."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import NamedTuple

from opmill_gen.base.onnx_types import ElementType


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


NARROW = {
    ElementType.FLOAT8E4M3FN: (8, 3, 7),
    ElementType.FLOAT8E4M3FNUZ: (8, 3, 8),
    ElementType.FLOAT8E5M2: (8, 2, 15),
    ElementType.FLOAT8E5M2FNUZ: (8, 2, 16),
    ElementType.FLOAT4E2M1: (4, 1, 1),
    ElementType.FLOAT6E2M3: (6, 3, 1),
    ElementType.FLOAT6E3M2: (6, 2, 3),
}
"""The formats of a byte or less: all bits, those of the fraction, the bias of the exponent."""


def narrow_bits(element: ElementType, number: float) -> int | None:
    """The pattern of a number that a format of a byte or less has; ``None`` for any other."""
    if element is ElementType.FLOAT8E8M0:
        powers = (pattern for pattern in range(255) if Fraction(2) ** (pattern - 127) == number)
        return next(powers, None)
    width, fraction_bits, bias = NARROW[element]
    sign = (1 << (width - 1)) if math.copysign(1, number) < 0 else 0
    for pattern in range(1 << (width - 1)):
        field, fraction = divmod(pattern, 1 << fraction_bits)
        steps = fraction + ((1 << fraction_bits) if field else 0)
        if steps * Fraction(2) ** (max(field, 1) - bias - fraction_bits) == abs(number):
            return sign | pattern
    return None


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


_WIDTHS = {
    ElementType.FLOAT: 32,
    ElementType.DOUBLE: 64,
    ElementType.COMPLEX64: 32,
    ElementType.COMPLEX128: 64,
    ElementType.BOOL: 8,
}


def pattern_width(element: ElementType) -> int:
    """The bits of an element's pattern; of a complex one, of each of its two."""
    if element in _WIDTHS:
        return _WIDTHS[element]
    return int("".join(c for c in element.value.partition("e")[0] if c.isdigit()))
