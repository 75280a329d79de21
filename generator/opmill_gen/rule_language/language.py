"""The words of the rule language, for editors and type checkers; rule files import them from here.

A rule file is ordinary Python that is never run: the compiler reads it and emits it for each
backend. So the verbs here do nothing; they say what each is for.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NewType

__all__ = [
    "MAX_RANK",
    "Count",
    "Dims",
    "Floats",
    "Ints",
    "Opaque",
    "OutputCount",
    "Positive",
    "SparseTensor",
    "Strs",
    "Tensor",
    "Tensors",
    "bound",
    "byte_at",
    "byte_count",
    "ceil",
    "counted",
    "dynamic",
    "floor",
    "int64",
    "is_int64",
    "is_prepared",
    "output",
    "plan",
    "require",
    "require_attribute",
    "require_type",
    "rounded",
]

MAX_RANK = 64
"""The highest rank of a tensor."""

Ints = Sequence[int]
"""Integers: an attribute of kind INTS, a shape, or the contents of an integer tensor."""

Floats = Sequence[float]
"""Floats: an attribute of kind FLOATS, or the contents of a tensor of floats."""

Strs = Sequence[str]
"""Texts: an attribute of kind STRINGS."""

Count = int
"""An argument of a helper that every caller proves to lie from 0 to 128: a length."""

Positive = int
"""An argument of a helper that every caller proves to be at least 1: a divisor."""

Dims = Ints
"""An argument of a helper that every caller proves to hold at most MAX_RANK values: a shape."""

OutputCount = NewType("OutputCount", int)
"""The number of outputs that the caller asks for."""


class Opaque:
    """An attribute that the rule does not look into; it can only be compared with None."""


class Tensor:
    """An input, or an attribute of kind TENSOR.

    An attribute that is a number, a text or a list of them may be a tensor here too, of rank 0 or
    1, and a list have any length then.
    """

    rank: int
    """The number of dims, from 0 to MAX_RANK."""
    shape: Ints
    """The dims."""
    size: int
    """The number of elements."""
    type: str
    """ONNX's word for the element type, as ``float`` or ``int64``."""
    values: Ints
    """The contents of a tensor of integers or bools, in row-major order.

    One of another type than int64 has at most 128, else the rule ends with a ShapeError.
    """
    numbers: Floats
    """The contents of a floating tensor, in row-major order."""


class SparseTensor:
    """An attribute of kind SPARSE_TENSOR, whose indices have been checked."""

    rank: int
    """The number of dims, from 0 to MAX_RANK."""
    shape: Ints
    """The dims."""


class Tensors(Sequence[Tensor]):
    """A variadic input, or one that is a sequence."""

    type: str
    """The element type of the first tensor; that of an empty sequence, "" where nothing tells."""


def require(condition: bool, message: str) -> None:
    """Refuse the call with a ShapeError unless the condition holds."""


def require_attribute(condition: bool, message: str) -> None:
    """Refuse the call with an AttributeValueError unless the condition holds."""


def require_type(condition: bool, message: str) -> None:
    """Refuse the call with a TypeConstraintError unless the condition holds."""


def counted(number: int, one: str, many: str = "") -> str:
    """In a message, a number with its noun: ``1 value``, ``2 values``; ``many`` if not one + s."""
    return f"{number} {one if number == 1 else many or one + 's'}"


def output(**shape: Ints) -> None:
    """Give the shape of an output; repeat it for the values of a variadic one."""


def bound(**shape: Ints) -> None:
    """Give an upper bound of an output's shape; the kernel's ``measure`` tells the actual one."""


def dynamic(name: str) -> None:
    """Say that only the kernel knows an output, which it returns itself."""


def plan(
    **value: int | bool | str | float | Ints | list[float] | Tensor | SparseTensor | None,
) -> None:
    """Give a derived value to the kernels. A tensor is an attribute; ``None`` if it is absent."""


def is_int64(value: float) -> bool:
    """True where a float is whole and lies within int64."""
    return math.isfinite(value) and value == math.floor(value) and -(2.0**63) <= value < 2.0**63


def is_prepared() -> bool:
    """True where the attributes were checked when their form was prepared, as only C has it.

    A rule may skip then what reads every value of a long list. Checks of a call without a
    prepared form, and of one that is prepared, come with False.
    """
    return False


def int64(value: float) -> int:
    """A float that is known to be whole, as an integer."""
    return int(value)


def byte_count(text: str) -> int:
    """The number of bytes of a text in UTF-8."""
    return len(text.encode("utf-8", "surrogatepass"))


def byte_at(text: str, index: int) -> int:
    """A byte of a text in UTF-8, counted from 0; -1 outside of the text."""
    found = text.encode("utf-8", "surrogatepass")
    return found[index] if 0 <= index < len(found) else -1


def floor(value: float) -> float:
    """The largest whole float that is not above; infinities, NaN and -0.0 as they are."""
    return float(math.floor(value))


def ceil(value: float) -> float:
    """The smallest whole float that is not below; infinities, NaN and -0.0 as they are."""
    return float(math.ceil(value))


def rounded(value: float, type: str) -> float:
    """The nearest value of a type, ties to even: ``rounded(a - b, X.type)`` is a float's a - b.

    Sums, differences, products and quotients of floats come out as in that type. Types that are
    no floats leave the value as it is.
    """
    raise NotImplementedError
