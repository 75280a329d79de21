"""Bernoulli, one element at a time, with Philox4x32-10 on plain integers."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from opmill_checks.contents import RefusedContents
from opmill_checks.rounding import attribute_value
from opmill_checks.value import TYPES, Value, type_of_number

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


def shares(key: int, count: int, wide: bool) -> list[Fraction]:
    """Numbers from 0 to less than 1, of one word or of the 53 upper bits of two."""
    each = 2 if wide else 1
    words = [word for k in range(-(-count * each // 4)) for word in block(key, k)]
    if not wide:
        return [Fraction(word, WORD) for word in words[:count]]
    pairs = zip(words[::2], words[1::2], strict=True)
    return [Fraction((a * WORD + b) >> 11, 2**53) for a, b in pairs][:count]


def oracle(inputs: Mapping[str, Value], attributes: Mapping[str, Any]) -> dict[str, Value]:
    source = inputs["input"]
    for position, item in enumerate(source.items):
        if not 0 <= item <= 1:
            raise RefusedContents(position, f" is {item:.9g}, expected 0 to 1")
    given = attributes.get("dtype")
    type = source.type if given is None else type_of_number(given)
    seed = struct.pack("<f", attribute_value(float(attributes.get("seed", 0.0))))
    found = shares(int.from_bytes(seed, "little"), len(source.items), source.type == "double")
    make = {"float": float, "bool": bool}.get(TYPES[type].kind, int)
    items = (make(u < Fraction(p)) for u, p in zip(found, source.items, strict=True))
    return {"output": Value(type, source.shape, tuple(items))}
