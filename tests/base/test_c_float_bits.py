"""The bit patterns in the C tests' tables, against those of other implementations."""

from __future__ import annotations

import math
import random
import struct
from fractions import Fraction

import pytest

from opmill_checks.rounding import rounded
from opmill_gen.base.onnx_types import ElementType
from opmill_gen.spec.float_bits import float_bits

CODES = {ElementType.FLOAT16: "e", ElementType.FLOAT: "f", ElementType.DOUBLE: "d"}
SPECIAL = (0.0, -0.0, 1.0, -2.5, 65504.0, 5e-324, 2.0**-24, 3 * 2.0**-25, math.inf, -math.inf)


def pattern(code: str, number: float) -> int:
    """Return the bits of a number by struct."""
    return int.from_bytes(struct.pack(">" + code, number), "big")


@pytest.mark.parametrize("element", CODES, ids=lambda element: element.value)
def test_agrees_with_struct(element: ElementType) -> None:
    chance = random.Random(7)
    numbers = [chance.uniform(-1, 1) * 2.0 ** chance.randint(-30, 15) for _ in range(2000)]
    for number in (*SPECIAL, *numbers):
        if element is ElementType.FLOAT16 and math.isfinite(number) and abs(number) > 65504:
            continue
        assert float_bits(element, number) == pattern(CODES[element], number)


def test_bfloat16_is_the_upper_half_of_a_rounded_float() -> None:
    chance = random.Random(8)
    for _ in range(2000):
        number = chance.uniform(-1, 1) * 2.0 ** chance.randint(-140, 120)
        expected = pattern("f", rounded(number, "bfloat16")) >> 16
        assert float_bits(ElementType.BFLOAT16, number) == expected


def test_fractions_are_rounded_once_and_overflow_to_infinity() -> None:
    tie = Fraction(1) + Fraction(1, 2**11)
    assert float_bits(ElementType.FLOAT16, tie) == 0x3C00
    assert float_bits(ElementType.FLOAT16, tie + Fraction(1, 2**90)) == 0x3C01
    assert float_bits(ElementType.FLOAT16, Fraction(65520)) == 0x7C00
    assert float_bits(ElementType.FLOAT16, Fraction(-65519)) == 0xFBFF
    assert float_bits(ElementType.FLOAT, math.nan) == 0x7FC00000
