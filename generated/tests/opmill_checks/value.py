"""A tensor as tests and oracles see it: a type, a shape, and plain Python items, row-major.

The only module in which the tests translate between ONNX's element types and NumPy's.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import ml_dtypes
import numpy as np
from numpy.typing import NDArray


class ElementType(NamedTuple):
    """An element type of ONNX: its NumPy name, the kind of its items, and their size in bits."""

    dtype: np.dtype[Any]
    kind: str
    width: int


TYPES: dict[str, ElementType] = {
    # in the order of TensorProto.DataType
    "float": ElementType(np.dtype(np.float32), "float", 32),
    "uint8": ElementType(np.dtype(np.uint8), "integer", 8),
    "int8": ElementType(np.dtype(np.int8), "integer", 8),
    "uint16": ElementType(np.dtype(np.uint16), "integer", 16),
    "int16": ElementType(np.dtype(np.int16), "integer", 16),
    "int32": ElementType(np.dtype(np.int32), "integer", 32),
    "int64": ElementType(np.dtype(np.int64), "integer", 64),
    "string": ElementType(np.dtype(object), "string", 0),
    "bool": ElementType(np.dtype(np.bool_), "bool", 8),
    "float16": ElementType(np.dtype(np.float16), "float", 16),
    "double": ElementType(np.dtype(np.float64), "float", 64),
    "uint32": ElementType(np.dtype(np.uint32), "integer", 32),
    "uint64": ElementType(np.dtype(np.uint64), "integer", 64),
    "complex64": ElementType(np.dtype(np.complex64), "complex", 64),
    "complex128": ElementType(np.dtype(np.complex128), "complex", 128),
    "bfloat16": ElementType(np.dtype(ml_dtypes.bfloat16), "float", 16),
    "float8e4m3fn": ElementType(np.dtype(ml_dtypes.float8_e4m3fn), "float", 8),
    "float8e4m3fnuz": ElementType(np.dtype(ml_dtypes.float8_e4m3fnuz), "float", 8),
    "float8e5m2": ElementType(np.dtype(ml_dtypes.float8_e5m2), "float", 8),
    "float8e5m2fnuz": ElementType(np.dtype(ml_dtypes.float8_e5m2fnuz), "float", 8),
    "uint4": ElementType(np.dtype(ml_dtypes.uint4), "integer", 4),
    "int4": ElementType(np.dtype(ml_dtypes.int4), "integer", 4),
    "float4e2m1": ElementType(np.dtype(ml_dtypes.float4_e2m1fn), "float", 4),
    "float8e8m0": ElementType(np.dtype(ml_dtypes.float8_e8m0fnu), "float", 8),
    "uint2": ElementType(np.dtype(ml_dtypes.uint2), "integer", 2),
    "int2": ElementType(np.dtype(ml_dtypes.int2), "integer", 2),
    "float6e2m3": ElementType(np.dtype(ml_dtypes.float6_e2m3fn), "float", 6),
    "float6e3m2": ElementType(np.dtype(ml_dtypes.float6_e3m2fn), "float", 6),
}
"""Every element type of ONNX. Below eight bits an element has a byte here, as in ml_dtypes."""

TYPE_OF_DTYPE = {element.dtype: name for name, element in TYPES.items()}
STRING_KINDS = "OTUS"
"""The kinds of arrays that hold strings: object, StringDType, fixed-width text and bytes."""


@dataclass(frozen=True)
class Value:
    """A tensor.

    Args:
        type: the element type in ONNX's words, as ``float`` or ``int64``.
        shape: its dimensions.
        items: its elements, row-major: int, float, complex, bool or str. A float is an element of
            ``type`` exactly: rounding is not done here.
        bits: the elements' bit patterns, where the items do not say them all (a NaN has many). A
            complex number's has the real part in its lower half.
    """

    type: str
    shape: tuple[int, ...]
    items: tuple[Any, ...]
    bits: tuple[int, ...] | None = None

    def __post_init__(self) -> None:
        if self.type not in TYPES:
            raise ValueError(f"{self.type!r} is not an element type of ONNX")
        size = math.prod(self.shape)
        if len(self.items) != size or (self.bits is not None and len(self.bits) != size):
            raise ValueError(f"shape {list(self.shape)} needs {size} items, got {len(self.items)}")

    def take(self, shape: Sequence[int], positions: Sequence[int]) -> Value:
        """The tensor of ``shape`` whose element k is this one's element number ``positions[k]``.

        The elements are moved as they are, whatever they are.
        """
        items = tuple(self.items[position] for position in positions)
        bits = None if self.bits is None else tuple(self.bits[position] for position in positions)
        return Value(self.type, tuple(shape), items, bits)

    def to_array(self) -> NDArray[Any]:
        """A new NumPy array of this value. Strings are in an object array."""
        if self.bits is not None:
            return array_of_bits(self.type, self.bits).reshape(self.shape)
        return np.array(self.items, dtype_of(self.type)).reshape(self.shape)

    @staticmethod
    def from_array(array: NDArray[Any]) -> Value:
        """The value of an array, with the bits where the items alone would not give it back."""
        type = type_of(array.dtype)
        value = Value(type, array.shape, items_of(array))
        if type == "string" or np.array_equal(raw_bits(array), raw_bits(value.to_array())):
            return value
        return Value(type, array.shape, value.items, bits_of(array))


class TypedList(list[NDArray[Any]]):
    """A list of arrays that knows their dtype where it is empty too.

    Args:
        arrays: the arrays.
        dtype: their dtype; ``None`` where it is open.
    """

    def __init__(self, arrays: Iterable[NDArray[Any]], dtype: np.dtype[Any] | None) -> None:
        super().__init__(arrays)
        self.dtype = dtype


@dataclass(frozen=True)
class Held:
    """A value that is not a tensor: a sequence of tensors, or an optional without contents.

    Args:
        items: the tensors of the sequence; ``None`` for no contents.
        type: the element type of a sequence without tensors, where it is known.
    """

    items: tuple[Value, ...] | None
    type: str | None = None

    def to_array(self) -> list[NDArray[Any]] | None:
        """A list of new arrays, or ``None``."""
        if self.items is None:
            return None
        dtype = None if self.type is None else dtype_of(self.type)
        return TypedList([item.to_array() for item in self.items], dtype)

    @property
    def word(self) -> str:
        """The type as messages have it: ``seq`` and ``optional`` where nothing tells of what."""
        if self.items is None:
            return "optional"
        type = self.items[0].type if self.items else self.type
        return f"seq(tensor({type}))" if type else "seq"


@dataclass(frozen=True)
class Sparse:
    """A sparse tensor, as an attribute holds it.

    Args:
        values: the elements that are not 0, or of strings not empty.
        indices: their positions in row-major order, or a row for each with an index for each axis.
        dims: the shape.
    """

    values: Value
    indices: Value
    dims: tuple[int, ...]

    def dense(self) -> Value:
        """The tensor with all its elements."""
        kind = TYPES[self.values.type].kind
        zero = {"string": "", "float": 0.0, "bool": False, "complex": 0j}.get(kind, 0)
        count = math.prod(self.dims)
        items, bits = [zero] * count, [0] * count
        given = None if kind == "string" else bits_of(self.values.to_array())
        for k, item in enumerate(self.values.items):
            position = self.position(k)
            items[position] = item
            if given is not None:
                bits[position] = given[k]
        shown = None if given is None else tuple(bits)
        return Value(self.values.type, self.dims, tuple(items), shown)

    def position(self, k: int) -> int:
        """The indices of value number k, in row-major order."""
        if len(self.indices.shape) == 1:
            return int(self.indices.items[k])
        rank = len(self.dims)
        position = 0
        for axis, index in enumerate(self.indices.items[k * rank : (k + 1) * rank]):
            position = position * self.dims[axis] + int(index)
        return position


@dataclass(frozen=True, eq=False)
class SparseArrays:
    """A sparse tensor as an operator takes it: whatever has these three."""

    values: NDArray[Any]
    indices: NDArray[Any]
    dims: list[int]


def dtype_of(type: str) -> np.dtype[Any]:
    """The NumPy type of an element type; of ``string``, object."""
    return TYPES[type].dtype


def type_of(dtype: np.dtype[Any]) -> str:
    """The element type of a NumPy type, which must be in native byte order."""
    if not dtype.isnative:
        raise TypeError(f"dtype {dtype.str} is not in native byte order")
    if dtype.kind in STRING_KINDS:
        return "string"
    try:
        return TYPE_OF_DTYPE[dtype]
    except KeyError:
        raise TypeError(f"dtype {dtype} is not an element type of ONNX") from None


def type_of_number(named: int | str) -> str:
    """The element type that TensorProto.DataType numbers so, or names so, as 1 or "FLOAT"."""
    words = list(TYPES)
    return words[named - 1] if isinstance(named, int) else named.lower()


def items_of(array: NDArray[Any]) -> tuple[Any, ...]:
    """The elements of an array as plain Python items, row-major."""
    flat = array.reshape(-1)
    kind = TYPES[type_of(array.dtype)].kind
    if kind == "string":
        return tuple(text_of(item) for item in flat.tolist())
    if kind == "float":
        with np.errstate(invalid="ignore"):  # a signalling NaN, which is legal here
            return tuple(flat.astype(np.float64).tolist())
    if kind == "integer" and array.dtype.kind not in "iu":  # the narrow ones of ml_dtypes
        return tuple(flat.astype(np.int64).tolist())
    return tuple(flat.tolist())


def text_of(item: object) -> str:
    """A string element as str; fixed-width bytes hold UTF-8."""
    if isinstance(item, bytes):
        return item.decode("utf-8")
    if not isinstance(item, str):
        raise TypeError(f"a string tensor holds {item!r}, which is not a string")
    return str(item)


def raw_bits(array: NDArray[Any]) -> NDArray[Any]:
    """The elements' bit patterns, one unsigned integer each; of complex two, real part first."""
    element = TYPES[type_of(array.dtype)]
    flat = np.ascontiguousarray(array).reshape(-1)
    if element.kind == "complex":
        return flat.view(f"u{element.width // 16}").reshape(-1, 2)
    patterns: NDArray[Any] = flat.view(f"u{array.dtype.itemsize}")
    if element.width < 8:
        patterns = patterns & np.uint8((1 << element.width) - 1)
    return patterns


def bits_of(array: NDArray[Any]) -> tuple[int, ...]:
    """The elements' bit patterns as plain integers; of complex the real part is the lower half."""
    patterns = raw_bits(array).tolist()
    element = TYPES[type_of(array.dtype)]
    if element.kind == "complex":
        return tuple(real | imag << element.width // 2 for real, imag in patterns)
    return tuple(patterns)


def array_of_bits(type: str, bits: Sequence[int]) -> NDArray[Any]:
    """The one-dimensional array whose elements have these bit patterns."""
    element = TYPES[type]
    if element.kind == "string":
        raise ValueError("a string has no bit pattern")
    for pattern in bits:
        if not 0 <= pattern < 1 << element.width:
            raise ValueError(
                f"{pattern:#x} is not a pattern of {element.width} bits, as {type} has"
            )
    if element.kind == "complex":
        half = element.width // 2
        parts = [
            part for pattern in bits for part in (pattern & ((1 << half) - 1), pattern >> half)
        ]
        return np.array(parts, f"u{half // 8}").view(element.dtype)
    return np.array(bits, f"u{element.dtype.itemsize}").view(element.dtype)
