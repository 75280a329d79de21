"""Multinomial, one sample at a time, with Philox4x32-10 on plain integers."""

from __future__ import annotations

import math
import struct
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from opmill_checks.contents import RefusedContents
from opmill_checks.rounding import attribute_value
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


def shares(key: int, count: int) -> list[Fraction]:
    """Numbers from 0 to less than 1, of the 53 upper bits of two words."""
    words = [word for k in range(-(-count // 2)) for word in block(key, k)]
    pairs = zip(words[::2], words[1::2], strict=True)
    return [Fraction((a * WORD + b) >> 11, 2**53) for a, b in pairs][:count]


def weights(scores: tuple[float, ...], first: int) -> list[Fraction]:
    """The probabilities of a row, up to a factor."""
    for column, score in enumerate(scores):
        if score != score or score == math.inf:
            reason = f" is {score:.9g}, expected a finite number or -inf"
            raise RefusedContents(first + column, reason)
    largest = max(scores)
    if largest == -math.inf:
        raise RefusedContents(first, "has no finite element, expected at least 1")
    return [Fraction(math.exp(score - largest)) for score in scores]


def pick(row: list[Fraction], share: Fraction) -> int:
    """The first class whose running sum is above a share of the sum of all."""
    wanted, sum_ = share * sum(row), Fraction(0)
    for number, weight in enumerate(row):
        sum_ += weight
        if sum_ > wanted:
            return number
    raise AssertionError("the share is 1 or more")


def oracle(inputs: Mapping[str, Value], attributes: Mapping[str, Any]) -> dict[str, Value]:
    source = inputs["input"]
    rows, classes = source.shape
    samples = attributes.get("sample_size", 1)
    seed = struct.pack("<f", attribute_value(float(attributes.get("seed", 0.0))))
    found = shares(int.from_bytes(seed, "little"), rows * samples)
    items: list[int] = []
    for row in range(rows):
        begin = row * classes
        chances = weights(source.items[begin : begin + classes], begin)
        items += [pick(chances, u) for u in found[row * samples : (row + 1) * samples]]
    type = type_of_number(attributes.get("dtype", 6))
    return {"output": Value(type, (rows, samples), tuple(items))}
