"""Support for the rules of the families: views of tensors, int64, and the text of messages."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from opmill._runtime.errors import cut
from opmill._runtime.sparse import SparseTensor as SparseTensor
from opmill._runtime.types import Array

_INT64_MIN = -(2**63)
_INT64_MAX = 2**63 - 1
MAX_LIST = 128
"""Capacity of a list of a rule's own."""
Indices = Sequence[int]
"""Result of a plain function: at most MAX_LIST integers, each from 0 to MAX_LIST - 1."""
_SHOWN_VALUES = 16
_SHOWN_BYTES = 40


class Int64OverflowError(Exception):
    """An integer of a rule has left int64; the caller of the rule reports it as a ShapeError."""


class ValueNeededError(Exception):
    """A rule needs the contents of an input of which only the type and shape are known."""


class TooManyValuesError(Exception):
    """A rule reads the contents of a tensor that has more than rules can hold."""


class Tensor:
    """An input, as a rule sees it.

    Args:
        name: what messages call the input: ONNX's name, with its index in a variadic one.
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
        """The contents of a tensor of integers or bools, in row-major order.

        Raises:
            ValueNeededError: they are not known.
            TooManyValuesError: there are more than MAX_LIST, and they are not int64.
            Int64OverflowError: one does not fit int64.
        """
        contents = self._contents()
        if contents.dtype == np.int64:
            return tuple(contents.ravel().tolist())
        if contents.size > MAX_LIST:
            raise TooManyValuesError(self.name, contents.size, MAX_LIST)
        return tuple(int64(int(value)) for value in contents.ravel().tolist())

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


class Tensors(list[Tensor]):
    """A sequence, as a rule sees it: its tensors.

    Args:
        tensors: the tensors, all of one element type.
        type: ONNX's word for the element type; empty where there are no tensors to tell it.
    """

    __slots__ = ("type",)

    def __init__(self, tensors: Sequence[Tensor], type: str) -> None:
        super().__init__(tensors)
        self.type = type


def common_type(tensors: Sequence[Tensor]) -> str:
    """The element type of several tensors; empty where there are none to tell it."""
    return tensors[0].type if tensors else getattr(tensors, "type", "")


def contents(attribute: Tensor | None) -> Array | None:
    """Return the contents of an attribute that is a tensor; ``None`` where it is absent."""
    return None if attribute is None else attribute.array


class Derived:
    """The result of a rule: the shapes of the outputs, and the plan that kernels receive.

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


def is_prepared() -> bool:
    """True where the attributes of a call have been checked already: only in C, never here."""
    return False


def byte_count(text: str) -> int:
    """The number of bytes of a text in UTF-8."""
    return len(text.encode("utf-8", "surrogatepass"))


def byte_at(text: str, index: int) -> int:
    """A byte of a text in UTF-8; -1 outside of the text."""
    found = text.encode("utf-8", "surrogatepass")
    return found[index] if 0 <= index < len(found) else -1


def divided(a: float, b: float) -> float:
    """The quotient as IEEE 754 defines it: of a division by 0 too."""
    if b != 0.0:
        return a / b
    if a == 0.0 or math.isnan(a):
        return math.nan
    return math.copysign(math.inf, a) * math.copysign(1.0, b)


def floored(value: float) -> float:
    """The largest whole float that is not above; what is not finite as it is."""
    return math.copysign(math.floor(value), value) if math.isfinite(value) else value


def ceiled(value: float) -> float:
    """The smallest whole float that is not below; what is not finite as it is."""
    return math.copysign(math.ceil(value), value) if math.isfinite(value) else value


_FORMATS = {"float": (24, -126, 128), "float16": (11, -14, 16), "bfloat16": (8, -126, 128)}
"""Of each type the bits of precision, the least exponent of a normal number, and the first that is
too large."""


def rounded(value: float, type: str) -> float:
    """The nearest value of a type, ties to even; types that are no floats leave it as it is."""
    if type not in _FORMATS or not math.isfinite(value) or value == 0.0:
        return value
    precision, lowest, highest = _FORMATS[type]
    fraction, exponent = math.frexp(value)  # 0.5 <= |fraction| < 1, so that exponent is one more
    unit = max(exponent - 1, lowest) - (precision - 1)
    nearest = math.ldexp(round(math.ldexp(fraction, exponent - unit)), unit)
    if abs(nearest) >= 2.0**highest:
        nearest = math.inf
    return math.copysign(nearest, value)


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
