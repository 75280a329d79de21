"""Tools of the families' ``calls.py`` for drawing random calls: a call without its element type.

Shapes, the contents that decide shapes, and attributes are the family's; the element type and all
other contents are drawn by whoever runs the call. Hypothesis draws, and makes a failure small; the
corpus of cases is drawn by ``Chance``, whose calls are the same on every machine.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol, TypeVar

from hypothesis import strategies as st

Item = TypeVar("Item")
Dims = tuple[int, ...]

HUGE = (2**31, 2**32, 2**62, 2**63 - 1)
"""Sizes that overflow something."""
VECTOR_ENDS = (7, 9, 15, 16, 17, 31, 33, 47, 63, 65, 71, 79, 95, 97, 103, 127, 129)
"""Lengths beside multiples of what vectors hold, by which kernels with vectors are tested."""
LONG_RANGE = 16
"""The width of a range of which half of the integers that ``Chance`` draws are of these."""
MAX_RANGE = 2**50
"""Widths of ranges below it have integers that ``Chance`` draws at once: a double has 53 bits."""
DIGIT = 64
"""Large integers are drawn in digits of this base."""


class Draw(Protocol):
    """Draws a value, as Hypothesis gives it to a composite strategy."""

    def __call__(self, strategy: st.SearchStrategy[Item]) -> Item: ...


class Chance:
    """Draws from a seed, without Hypothesis: the same with every release of it and of Python.

    Args:
        seed: all values follow from it.
    """

    def __init__(self, seed: str) -> None:
        self._random = random.Random(seed).random  # the one method that no release changes

    def __call__(self, strategy: st.SearchStrategy[Item]) -> Item:
        raise TypeError(f"draws no {strategy!r}, expected the functions of opmill_checks.drawing")

    def below(self, count: int) -> int:
        """Return an integer of 0 to ``count`` - 1, each as often as any other."""
        return int(self._random() * count)

    def integer(self, low: int, high: int) -> int:
        """Return an integer of a range; half of those of a long one are near ends of vectors."""
        ends = [end for end in VECTOR_ENDS if low <= end <= high]
        if high - low >= LONG_RANGE and ends and self.below(2):
            return ends[self.below(len(ends))]
        return low + self.below(high - low + 1)


@dataclass(frozen=True)
class Contents:
    """An input whose elements matter: its shape, and its items in row-major order.

    ``type`` is its element type, for a value of a variadic input whose values have several types.
    """

    shape: Dims
    items: tuple[Any, ...]
    type: str | None = None


Given = Dims | Contents | None
"""An input: its shape, or its contents too; None where an optional one is absent."""
Several = list[Given]
"""The values of a variadic input."""


@dataclass(frozen=True)
class Call:
    """Inputs and attributes by the names of the schema, without element types.

    Args:
        inputs: of every input; a list of a variadic one.
        attributes: those that are given.
        types: the element types of type variables for which not every type will do.
        outputs: how many outputs are asked for, where the last one is variadic, or where the
            attributes decide which optional ones there can be.
    """

    inputs: Mapping[str, Given | Several]
    attributes: Mapping[str, Any] = field(default_factory=dict)
    types: Mapping[str, str] = field(default_factory=dict)
    outputs: int | None = None

    def dims_of(self, name: str) -> Dims:
        """The shape of an input that the call gives."""
        given = self.inputs[name]
        assert given is not None
        assert not isinstance(given, list)
        return given.shape if isinstance(given, Contents) else given

    def items_of(self, name: str) -> list[Any]:
        """The items of an input whose contents the call gives."""
        given = self.inputs[name]
        assert isinstance(given, Contents)
        return list(given.items)

    def but(self, inputs: Mapping[str, Given | Several] | None = None, **attributes: Any) -> Call:
        """The call with other inputs or attributes; an attribute that is None is left out."""
        changed = {**self.attributes, **attributes}
        return replace(
            self,
            inputs={**self.inputs, **(inputs or {})},
            attributes={name: value for name, value in changed.items() if value is not None},
        )


@dataclass(frozen=True)
class Illegal:
    """A call that must be refused, and the name of the error's class."""

    call: Call
    raises: str


def vector(items: Sequence[Any]) -> Contents:
    """The contents of a 1-D tensor."""
    return Contents((len(items),), tuple(items))


def integer(draw: Draw, low: int, high: int) -> int:
    """An integer of a range, both ends included.

    Hypothesis draws integers outside -99 to 99 from the source of the modules that are loaded now
    and then, and which of these it reads depends on the folder. No such integer is drawn at once.
    """
    if isinstance(draw, Chance) and high - low < MAX_RANGE:
        return draw.integer(low, high)
    if -100 < low <= high < 100:
        return draw(st.integers(low, high))
    if low < 0 <= high:
        return -integer(draw, 1, -low) if happens(draw, 50) else integer(draw, 0, high)
    if high < 0:
        return -integer(draw, -high, -low)
    last_digit, rest = divmod(high - low, DIGIT)
    digit = integer(draw, 0, last_digit)
    return low + digit * DIGIT + integer(draw, 0, rest if digit == last_digit else DIGIT - 1)


def choice(draw: Draw, options: Sequence[Item]) -> Item:
    """One of the options; a failure shrinks towards the first."""
    if isinstance(draw, Chance):
        return options[draw.below(len(options))]
    return options[integer(draw, 0, len(options) - 1)]


def permutation(draw: Draw, items: Sequence[Item]) -> list[Item]:
    """The items in any order; a failure shrinks towards their own."""
    if not isinstance(draw, Chance):
        return list(draw(st.permutations(items)))
    rest = list(items)
    return [rest.pop(draw.below(len(rest))) for _ in items]


def several(draw: Draw, low: int, high: int, max_size: int) -> list[int]:
    """A list of up to so many integers of a range."""
    if not isinstance(draw, Chance):
        return draw(st.lists(st.integers(low, high), max_size=max_size))
    return [integer(draw, low, high) for _ in range(integer(draw, 0, max_size))]


def happens(draw: Draw, percent: int) -> bool:
    """True about as often as the percentage says; a failure shrinks towards False."""
    drawn = draw.below(100) if isinstance(draw, Chance) else integer(draw, 0, 99)
    return drawn >= 100 - percent


def dims(draw: Draw, rank: int, max_elements: int = 2000) -> Dims:
    """A small shape, with axes of 0 and 1, and now and then a long axis.

    The corpus, which has few calls, has one in every other shape.
    """
    shape = [choice(draw, (1, 2, 3, 0, 4)) if happens(draw, 90) else 17 for _ in range(rank)]
    if rank and happens(draw, 50 if isinstance(draw, Chance) else 15):
        shape[integer(draw, 0, rank - 1)] = integer(draw, 5, 80)
    return bounded(shape, max_elements)


def bounded(shape: Sequence[int], max_elements: int) -> Dims:
    """The shape, its first axes shortened to 1 until it has no more elements than that."""
    sizes = list(shape)
    for axis in range(len(sizes)):
        if product(sizes) > max_elements:
            sizes[axis] = 1
    return tuple(sizes)


def product(shape: Sequence[int]) -> int:
    """The number of elements, where an empty axis counts as 1: what the other axes come to."""
    total = 1
    for dim in shape:
        total *= max(dim, 1)
    return total


def rank(draw: Draw) -> int:
    """A rank: mostly small, now and then the largest that ONNX tensors have here."""
    return choice(draw, (1, 2, 3, 0, 4, 5)) if happens(draw, 95) else 64
