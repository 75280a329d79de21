"""The elements of drawn tensors: any bits where they are moved, tame numbers where they are summed.

A sum is compared within a tolerance, so its terms must not cancel to what rounding left over: they
are small multiples of 1/8. Infinities and NaN are among them now and then, as their sums are exact.
Every other tensor of integers that are summed has small ones, whose sums all runtimes agree on.
"""

from __future__ import annotations

import math
import random
from typing import Any

import numpy as np

from opmill_checks.value import TYPES, Value, array_of_bits

TEXTS = ("", "a", "gr\u00f6\u00dfer", "x" * 40, "two words", "\u65e5\u672c", "\n")
MAX_ELEMENTS = 2**20
"""The most elements of a drawn tensor, which Python makes one by one."""
SPECIALS = (math.inf, -math.inf, math.nan, -0.0)


def elements(type: str, shape: tuple[int, ...], seed: int, *, exact: bool) -> np.ndarray[Any, Any]:
    """A tensor that follows from the seed alone; 0 is the plainest."""
    chance = random.Random(seed)
    size = math.prod(shape)
    if size > MAX_ELEMENTS:
        raise ValueError(f"a drawn tensor of shape {shape} has more than {MAX_ELEMENTS} elements")
    if TYPES[type].kind == "string":
        items: tuple[Any, ...] = tuple(chance.choice(TEXTS) for _ in range(size))
        return Value(type, shape, items).to_array()
    if not exact and TYPES[type].kind == "integer" and seed % 2 == 0:
        minimum = -9 if type.startswith("int") else 0
        small = tuple(chance.randint(minimum, 9) for _ in range(size))
        return Value(type, shape, small).to_array()
    if exact or TYPES[type].kind == "integer":
        return array_of_bits(type, [pattern(type, chance) for _ in range(size)]).reshape(shape)
    special = seed % 7 == 6
    items = tuple(
        chance.choice(SPECIALS) if special and chance.random() < 0.1 else eighths(chance)
        for _ in range(size)
    )
    return Value(type, shape, items).to_array()


def eighths(chance: random.Random) -> float:
    """A small multiple of 1/8, seldom 0."""
    return chance.randint(-16, 16) / 8


def pattern(type: str, chance: random.Random) -> int:
    """Any bit pattern of a type; those of bool are 0 and 1."""
    return chance.getrandbits(1 if TYPES[type].kind == "bool" else TYPES[type].width)
