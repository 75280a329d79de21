"""Integers, floats, lists and tensors as the reference of rules has them.

Each refuses what the promises of the compiler exclude: an integer outside int64, an index from the
end, a list of a rule's own that is long.
"""

from __future__ import annotations

import builtins
import math
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

INT64_MIN, INT64_MAX = -(2**63), 2**63 - 1
LONGEST = 128


class Given(NamedTuple):
    """A tensor that a rule is called with; ``contents`` is flat, or ``None`` where not known."""

    name: str
    type: str
    shape: tuple[int, ...]
    contents: tuple[int, ...] | tuple[float, ...] | None = None


class Unsound(AssertionError):
    """The compiler let something through that its promises exclude."""


class Overflow(Exception):
    """An integer has left int64."""


class Refused(Exception):
    """A requirement has failed."""

    def __init__(self, error: str, message: str) -> None:
        super().__init__(error, message)
        self.error = error
        self.message = message


class Outside(Exception):
    """An index is negative or not below the length."""


class TooMany(Exception):
    """The contents of a tensor are more than a rule can hold."""


class Unknown(Exception):
    """The contents of a tensor are needed and not known."""


class Int(int):
    """An int64."""

    def __new__(cls, value: int) -> Int:
        if not INT64_MIN <= value <= INT64_MAX:
            raise Overflow
        return super().__new__(cls, value)

    def __add__(self, other: int) -> Int:
        return Int(int(self) + int(other))

    def __sub__(self, other: int) -> Int:
        return Int(int(self) - int(other))

    def __mul__(self, other: int) -> Int:
        return Int(int(self) * int(other))

    def __floordiv__(self, other: int) -> Int:
        if other < 1:
            raise Unsound(f"divided by {other}")
        return Int(int(self) // int(other))

    def __mod__(self, other: int) -> Int:
        if other < 1:
            raise Unsound(f"modulo {other}")
        return Int(int(self) % int(other))

    def __neg__(self) -> Int:
        return Int(-int(self))

    def __abs__(self) -> Int:
        return Int(builtins.abs(int(self)))


class Float(float):
    """A double; its arithmetic is NumPy's, its rounding to other types that of exact fractions."""

    def __add__(self, other: float) -> Float:
        return ieee(np.add, self, other)

    def __sub__(self, other: float) -> Float:
        return ieee(np.subtract, self, other)

    def __mul__(self, other: float) -> Float:
        return ieee(np.multiply, self, other)

    def __truediv__(self, other: float) -> Float:
        return ieee(np.divide, self, other)

    def __neg__(self) -> Float:
        return ieee(np.negative, self)


def ieee(function: Any, *values: float) -> Float:
    with np.errstate(all="ignore"):
        return Float(function(*map(np.float64, map(float, values))))


PRECISIONS = {"float": (24, 149, 128), "float16": (11, 24, 16), "bfloat16": (8, 133, 128)}
"""Of each type the digits in base 2, the places after the point, the exponent of the overflow."""


def to_type(value: float, type: str) -> Float:
    """The nearest value of a type, found among exact fractions."""
    if type not in PRECISIONS or not math.isfinite(value):
        return Float(value)
    digits, places, end = PRECISIONS[type]
    exact = abs(Fraction(float(value)))
    unit = Fraction(1, 2**places)
    while exact >= unit * 2**digits:
        unit *= 2
    below = exact // unit * unit
    above = below + unit
    closer = below if exact - below < above - exact else above
    if exact - below == above - exact:
        closer = below if below // unit % 2 == 0 else above
    return Float(math.copysign(math.inf if closer >= 2**end else float(closer), value))


class Values(list[Any]):
    """A list that counts from the front only; one of the rule's own holds 128 values at most."""

    @property
    def type(self) -> str:
        """Of tensors: the element type of the first, "" where there is none."""
        return str(self[0].type) if builtins.len(self) else ""

    def at(self, index: int) -> int:
        if not 0 <= index < builtins.len(self):
            raise Outside
        return int(index)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            for end in (index.start, index.stop):
                if end is not None and end < 0:
                    raise Unsound(f"a slice from {end}")
            return Values(super().__getitem__(index))
        return super().__getitem__(self.at(index))

    def __setitem__(self, index: Any, value: Any) -> None:
        super().__setitem__(self.at(index), value)

    def __add__(self, other: Any) -> Values:
        return own([*self, *other])

    def __iadd__(self, other: Any) -> Values:
        return own([*self, *other])

    def __mul__(self, count: Any) -> Values:
        return own([*self] * int(count))

    def append(self, value: Any) -> None:
        super().append(value)
        own(self)


def own(values: list[Any]) -> Values:
    """A list of the rule's own."""
    if builtins.len(values) > LONGEST:
        raise Unsound(f"a list of {builtins.len(values)} values")
    return values if isinstance(values, Values) else Values(values)


class View:
    """A tensor, as a rule sees it."""

    def __init__(self, given: Given) -> None:
        self.given = given
        self.type = given.type
        self.rank = Int(builtins.len(given.shape))
        self.shape = Values(map(Int, given.shape))

    @property
    def size(self) -> Int:
        product = 1
        for dim in self.given.shape:
            product *= dim
        return Int(product)

    @property
    def values(self) -> Values:
        known = self.known()
        if self.given.type != "int64" and builtins.len(known) > LONGEST:
            raise TooMany(self.given.name, builtins.len(known))
        return Values(map(Int, known))

    @property
    def numbers(self) -> Values:
        return Values(map(Float, self.known()))

    def known(self) -> tuple[Any, ...]:
        if self.given.contents is None:
            raise Unknown(self.given.name)
        return self.given.contents
