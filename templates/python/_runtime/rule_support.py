"""What the rules of the families stand on: views of tensors, int64, and the text of messages."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from opmill._runtime.errors import cut
from opmill._runtime.types import Array

_INT64_MIN = -(2**63)
_INT64_MAX = 2**63 - 1
_SHOWN_VALUES = 16
_SHOWN_BYTES = 40


class Int64OverflowError(Exception):
    """An integer of a rule has left int64; the caller of the rule reports it as a ShapeError."""


class ValueNeededError(Exception):
    """A rule needs the contents of an input of which only the type and shape are known."""


class Tensor:
    """An input, as a rule sees it.

    Args:
        name: what messages call the input: ONNX's name, with its place in a variadic one.
        type: ONNX's word for the element type.
        shape: the dims.
        array: the contents, or ``None`` where only the type and shape are known.
    """

    __slots__ = ("array", "name", "shape", "type")

    def __init__(self, name: str, type: str, shape: tuple[int, ...], array: Array | None) -> None:
        self.name = name
        self.type = type
        self.shape = shape
        self.array = array

    @property
    def rank(self) -> int:
        """The number of dims."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """The number of elements.

        Raises:
            Int64OverflowError: it does not fit int64.
        """
        return int64(math.prod(self.shape))

    @property
    def values(self) -> tuple[int, ...]:
        """The contents of an integer tensor, in row-major order.

        Raises:
            ValueNeededError: they are not known.
        """
        return tuple(self._contents().ravel().tolist())

    @property
    def numbers(self) -> tuple[float, ...]:
        """The contents of a tensor of floats, in row-major order, exactly.

        Raises:
            ValueNeededError: they are not known.
        """
        return tuple(self._contents().astype(np.float64).ravel().tolist())

    def _contents(self) -> Array:
        if self.array is None:
            raise ValueNeededError(self.name)
        return self.array


class Derived:
    """What a rule derives: the shapes of the outputs, and the plan that kernels receive.

    A variadic output has several shapes, any other one.
    """

    __slots__ = ("plan", "shapes")

    def __init__(self) -> None:
        self.shapes: dict[str, list[tuple[int, ...]]] = {}
        self.plan: dict[str, Any] = {}

    def output(self, name: str, shape: Sequence[int]) -> None:
        """Add the shape of an output, or of the next value of a variadic one."""
        self.shapes.setdefault(name, []).append(tuple(shape))


def int64(value: int) -> int:
    """The value itself.

    Raises:
        Int64OverflowError: it does not fit int64.
    """
    if _INT64_MIN <= value <= _INT64_MAX:
        return value
    raise Int64OverflowError


def inside(index: int, length: int) -> int:
    """The index itself.

    Raises:
        IndexError: it is negative or not below the length; the rule is at fault then.
    """
    if 0 <= index < length:
        return index
    raise IndexError(f"index {index} of {length} values")


def is_int64(value: float) -> bool:
    """True where a float is whole and lies within int64."""
    return math.isfinite(value) and value == math.floor(value) and -(2.0**63) <= value < 2.0**63


def listed(values: Sequence[int]) -> str:
    """Integers as messages show them: ``[1, 2, 3]``, after sixteen of them ``...``."""
    shown = [str(value) for value in values[:_SHOWN_VALUES]]
    if len(values) > _SHOWN_VALUES:
        shown.append("...")
    return f"[{', '.join(shown)}]"


def counted(number: int, one: str, many: str) -> str:
    """A number with its noun, as messages show it: ``1 value``, ``2 values``."""
    return f"{number} {one if number == 1 else many}"


def quoted(text: str) -> str:
    """A caller's text as messages show it: printable ASCII, other bytes as ``\\x0a``, 40 bytes."""
    shown = "".join(
        chr(byte) if 0x20 <= byte < 0x7F and byte not in b"\\" else f"\\x{byte:02x}"
        for byte in text.encode("utf-8", "surrogatepass")
    )
    return cut(shown, _SHOWN_BYTES)


def decimal(value: float) -> str:
    """A float as messages show it: nine significant digits, as C's ``%.9g`` prints them."""
    if math.isnan(value):
        return "nan"
    return f"{value:.9g}"
