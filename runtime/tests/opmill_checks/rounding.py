"""Conversion of an exact number to an element of a floating type: one rounding, ties to even.

Plain arithmetic on fractions. No floating-point cast is involved, because casts are what it judges:
some round twice, as ml_dtypes' from double to bfloat16 by way of float.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any, NamedTuple

from opmill_checks.value import TYPES


class Format(NamedTuple):
    """An IEEE 754 binary format: significant bits, and the exponents of the normal numbers."""

    precision: int
    lowest: int
    highest: int


FORMATS = {
    "float16": Format(11, -14, 15),
    "bfloat16": Format(8, -126, 127),
    "float": Format(24, -126, 127),
    "double": Format(53, -1022, 1023),
}


def rounded(number: float | Fraction, type: str) -> float:
    """The element of ``type`` nearest to ``number``, as a Python float, which holds it exactly.

    What is too large becomes an infinity, what is too small a subnormal or a zero of the same sign.
    NaN, the infinities and the sign of a zero pass through.
    """
    if isinstance(number, float) and (not math.isfinite(number) or number == 0):
        return number
    precision, lowest, highest = FORMATS[type]
    above, below = number.as_integer_ratio()  # integers: a Fraction would reduce each quotient
    exponent = max(_floor_log2(abs(above), below), lowest)
    last_exponent = exponent - (precision - 1)
    step = below << max(last_exponent, 0)
    steps, rest = divmod(abs(above) << max(-last_exponent, 0), step)
    if 2 * rest > step or (2 * rest == step and steps % 2 == 1):
        steps += 1
    sign = -1.0 if above < 0 else 1.0
    if steps.bit_length() + last_exponent > highest + 1:
        return sign * math.inf
    return sign * math.ldexp(steps, last_exponent)


def element(type: str, number: Any) -> Any:
    """The element for an exact number: rounded once; integers wrap around."""
    if type in FORMATS:
        return rounded(number, type)
    modulus = 2 ** TYPES[type].width
    wrapped = number % modulus
    signed = not type.startswith("u") and wrapped >= modulus // 2
    return wrapped - modulus if signed else wrapped


def attribute_value(value: Any) -> Any:
    """The value of an attribute as ONNX holds it: a number of kind FLOAT is a float32."""
    return rounded(value, "float") if isinstance(value, float) else value


def floor_log2(magnitude: Fraction) -> int:
    """The largest e with ``2**e <= magnitude``."""
    return _floor_log2(magnitude.numerator, magnitude.denominator)


def _floor_log2(above: int, below: int) -> int:
    exponent = above.bit_length() - below.bit_length()
    is_reached = below << max(exponent, 0) <= above << max(-exponent, 0)
    return exponent if is_reached else exponent - 1
