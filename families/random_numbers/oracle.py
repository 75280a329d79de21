"""Random numbers, one element at a time, with Philox4x32-10 on plain integers.

Quantiles of the normal distribution are those of Python's statistics module.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from fractions import Fraction
from statistics import NormalDist
from typing import Any

from opmill_checks.rounding import FORMATS, attribute_value, floor_log2, rounded
from opmill_checks.value import Value, type_of_number

WORD = 2**32


def block(key: int, number: int) -> list[int]:
    """The four words of a block: ten rounds, each with a key of its own."""
    words = [number % WORD, number // WORD, 0, 0]
    keys = [key % WORD, key // WORD]
    for _ in range(10):
        first, second = words[0] * 0xD2511F53, words[2] * 0xCD9E8D57
        words = [
            second // WORD ^ words[1] ^ keys[0],
            second % WORD,
            first // WORD ^ words[3] ^ keys[1],
            first % WORD,
        ]
        keys = [(keys[0] + 0x9E3779B9) % WORD, (keys[1] + 0xBB67AE85) % WORD]
    return words


def key_of(seed: float) -> int:
    """The 32 bits of the seed."""
    return int.from_bytes(struct.pack("<f", seed), "little")


def whole_numbers(key: int, count: int, type: str) -> tuple[list[int], int]:
    """Integers from 0 to less than a power of two, whose exponent is the second result."""
    if type != "double":
        return [word for k in range(-(-count // 4)) for word in block(key, k)][:count], 32
    words = [word for k in range(-(-count // 2)) for word in block(key, k)]
    return [words[2 * i] * WORD + words[2 * i + 1] for i in range(count)], 64


def of_type(number: Fraction | float, type: str) -> float:
    """A number as an element; types of 16 bits round it to float before."""
    return rounded(number if type == "double" else rounded(number, "float"), type)


def below(end: float, type: str) -> float:
    """The largest element that is less than another one."""
    precision, lowest, _ = FORMATS[type]
    size = abs(Fraction(end))
    exponent = max(floor_log2(size), lowest) if size else lowest
    if end > 0 and size == Fraction(2) ** exponent and exponent > lowest:
        exponent -= 1
    return float(Fraction(end) - Fraction(2) ** (exponent - precision + 1))


def uniform(known: Mapping[str, Any], whole: int, bits: int, type: str) -> float:
    """A number from low to less than high, both of the type."""
    low, high = (rounded(attribute_value(float(known[name])), type) for name in ("low", "high"))
    share = Fraction(whole >> max(bits - 53, 0), 2 ** min(bits, 53))
    width = rounded(Fraction(high) - Fraction(low), "double")
    product = rounded(share * Fraction(width), "double")
    found = of_type(rounded(Fraction(low) + Fraction(product), "double"), type)
    return found if found < high or low == high else below(high, type)


def normal(known: Mapping[str, Any], whole: int, bits: int, type: str) -> float:
    """A quantile, scaled and moved."""
    mean, scale = (attribute_value(float(known[name])) for name in ("mean", "scale"))
    digits = min(bits, 52)
    odd = 2 * (whole >> (bits - digits)) + 1
    upper = odd > 2**digits  # probabilities of the lower half are exact
    quantile = NormalDist().inv_cdf((2 ** (digits + 1) - odd if upper else odd) / 2 ** (digits + 1))
    moved = Fraction(mean) + Fraction(scale) * Fraction(-quantile if upper else quantile)
    return of_type(moved, type)


DISTRIBUTIONS = {"normal": normal, "uniform": uniform}


def oracle(
    inputs: Mapping[str, Value],
    attributes: Mapping[str, Any],
    *,
    distribution: str,
    defaults: Mapping[str, Any],
) -> dict[str, Value]:
    known = {**defaults, **attributes}
    source = inputs.get("input")
    shape = tuple(known["shape"]) if source is None else source.shape
    number = known.get("dtype")
    type = source.type if number is None and source is not None else type_of_number(number)
    count = 1
    for dim in shape:
        count *= dim
    key = key_of(attribute_value(float(known.get("seed", 0.0))))
    wholes, bits = whole_numbers(key, count, type)
    make = DISTRIBUTIONS[distribution]
    return {"output": Value(type, shape, tuple(make(known, one, bits, type) for one in wholes))}
