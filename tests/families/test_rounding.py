"""The rounding of the oracles against casts that are known to round once."""

from __future__ import annotations

import itertools
import math
import random
from fractions import Fraction

import ml_dtypes
import numpy as np
import pytest

from opmill_checks.rounding import rounded

pytestmark = pytest.mark.slow

inf = math.inf


def neighbourhood(values: list[float]) -> list[float]:
    """The values, the midpoints between them, and what is just beside the midpoints, as doubles."""
    found = set(values)
    for low, high in itertools.pairwise(sorted(found)):
        middle = (low + high) / 2
        found |= {middle, math.nextafter(middle, low), math.nextafter(middle, high)}
    return sorted(found)


def test_rounding_to_float16() -> None:
    patterns = np.arange(65536, dtype=np.uint16).view(np.float16)
    finite = patterns[np.isfinite(patterns)].astype(np.float64).tolist()
    edges = [65519.0, 65519.99, 65520.0, 65520.01, 65535.0, 65536.0, 1e6, 1e300, 2.0**-26, 5e-324]
    numbers = neighbourhood(finite) + edges + [-edge for edge in edges]
    with np.errstate(over="ignore", under="ignore"):
        expected = np.array(numbers).astype(np.float16)
    found = np.array([rounded(number, "float16") for number in numbers])
    assert np.array_equal(found.astype(np.float16).view(np.uint16), expected.view(np.uint16))
    assert np.array_equal(found, expected.astype(np.float64))


def test_rounding_to_bfloat16() -> None:
    # From float, not double: the cast from double rounds twice.
    patterns = np.arange(0, 65536, 7, dtype=np.uint32)
    near = [(patterns << 16) + np.uint32(extra) for extra in (0, 0x7FFF, 0x8000, 0x8001, 0x18000)]
    numbers = np.concatenate(near).view(np.float32)
    numbers = numbers[np.isfinite(numbers)]
    with np.errstate(over="ignore"):
        expected = numbers.astype(ml_dtypes.bfloat16)
    found = np.array([rounded(number, "bfloat16") for number in numbers.tolist()])
    assert np.array_equal(
        found.astype(ml_dtypes.bfloat16).view(np.uint16), expected.view(np.uint16)
    )
    assert np.array_equal(found, expected.astype(np.float64))


def test_rounding_to_float() -> None:
    dice = random.Random(5)
    patterns = np.array([dice.getrandbits(32) for _ in range(20000)], np.uint32).view(np.float32)
    low = patterns[np.isfinite(patterns)]
    with np.errstate(over="ignore"):
        high = np.nextafter(low, np.float32(inf))
    exact = low.astype(np.float64)
    numbers = np.concatenate(
        [exact, (exact + high) / 2, exact * 1.00000003, exact * 1e-30, exact * 1e30]
    )
    numbers = numbers[np.isfinite(numbers)]
    with np.errstate(over="ignore", under="ignore"):
        expected = numbers.astype(np.float32)
    found = np.array([rounded(number, "float") for number in numbers.tolist()])
    assert np.isinf(expected).any()
    assert (expected == 0).any()
    assert np.array_equal(found.view(np.uint64), expected.astype(np.float64).view(np.uint64))


def test_rounding_to_double() -> None:
    # Division of integers rounds once, by the language's definition.
    dice = random.Random(6)
    for _ in range(5000):
        numerator = dice.getrandbits(dice.randint(1, 300)) * dice.choice([1, -1])
        denominator = dice.getrandbits(dice.randint(1, 1300)) | 1
        found = rounded(Fraction(numerator, denominator), "double")
        assert found == numerator / denominator
    assert rounded(Fraction(2) ** 1024 - Fraction(2) ** 970, "double") == inf
    assert rounded(Fraction(2) ** 1024 - Fraction(2) ** 970 - 1, "double") == float.fromhex(
        "0x1.fffffffffffffp1023"
    )


def test_rounding_is_not_done_twice() -> None:
    number = Fraction(1) + Fraction(1, 2**8) + Fraction(1, 2**60)
    assert rounded(number, "bfloat16") == 1.0078125
    assert rounded(Fraction(1) + Fraction(1, 2**8), "bfloat16") == 1.0


@pytest.mark.parametrize("type", ["float16", "bfloat16", "float", "double"])
def test_rounding_keeps_what_has_no_fraction(type: str) -> None:
    assert math.isnan(rounded(math.nan, type))
    assert rounded(-inf, type) == -inf
    assert math.copysign(1, rounded(-0.0, type)) == -1
    assert math.copysign(1, rounded(0, type)) == 1
    assert math.copysign(1, rounded(Fraction(-1, 2**2000), type)) == -1
