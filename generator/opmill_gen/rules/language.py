"""The words of the rule language, for editors and type checkers; a rule file imports what it uses.

A rule file is read by the compiler and never imported, so what stands here is for readers: it
says what each word means. ``generator/README.md`` names the compiler's parts.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

MAX_RANK = 64
"""The highest rank of a tensor."""

Ints = Sequence[int]
"""Integers that are only read: an attribute of kind INTS, a shape, the values of a tensor."""

Floats = Sequence[float]
"""An attribute of kind FLOATS."""

Strs = Sequence[str]
"""An attribute of kind STRINGS."""

Count = Annotated[int, "0..128"]
"""A helper's parameter that the compiler proves to be from 0 to 128 wherever it is called."""

OutputCount = int
"""How many outputs a call asks for; the rule's keyword-only parameter ``outputs``."""

Opaque = object
"""An attribute of any other kind, as a graph: a rule may only ask whether it is ``None``."""


@dataclass(frozen=True)
class Tensor:
    """An input as a rule sees it."""

    rank: int
    """From 0 to ``MAX_RANK``."""
    shape: Sequence[int]
    """The dims, each from 0 to 2^63-1."""
    size: int
    """The product of the dims."""
    type: str
    """ONNX's word for the element type, as ``float``."""
    values: Sequence[int]
    """The contents of a tensor of integers in row-major order; a call must know them then."""
    numbers: Sequence[float]
    """The contents of a tensor of floating-point numbers, likewise."""


Tensors = Sequence[Tensor]
"""The tensors of a variadic input."""


def require(condition: bool, message: str) -> None:
    """Refuse the call with a ShapeError unless the condition holds."""


def require_attribute(condition: bool, message: str) -> None:
    """Refuse the call with an AttributeValueError unless the condition holds."""


def require_type(condition: bool, message: str) -> None:
    """Refuse the call with a TypeConstraintError unless the condition holds."""


def output(**shapes: Sequence[int]) -> None:
    """Give outputs their shapes, as ``output(Y=[n, m])``; again for each of a variadic output."""


def bound(**shapes: Sequence[int]) -> None:
    """Give outputs the largest shapes they can have; the kernel measures the actual ones."""


def dynamic(*names: str) -> None:
    """Name outputs whose extent only the kernel finds, and which it therefore makes itself."""


def plan(**values: object) -> None:
    """Hand derived values to the kernel, under these names."""


def is_int64(value: float) -> bool:
    """True where the value is a whole number that an int64 holds."""
    return math.isfinite(value) and value.is_integer() and -(2.0**63) <= value < 2.0**63


def int64(value: float) -> int:
    """The value as an integer, once ``is_int64`` of it was required."""
    return int(value)
