"""ONNX's element types and the NumPy dtypes that hold them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import ml_dtypes
import numpy as np
from numpy.typing import NDArray

from opmill._runtime.public import public

Array = NDArray[Any]

TypeLike = int | str | type[Any] | np.dtype[Any]
"""An element type, for functions: ONNX's number or name, or a NumPy dtype or its name."""

MAX_RANK = 64
"""The highest rank of a tensor, NumPy's own limit."""

# In the order of TensorProto.DataType, which counts from 1.
_DTYPES: dict[str, np.dtype[Any]] = {
    "float": np.dtype(np.float32),
    "uint8": np.dtype(np.uint8),
    "int8": np.dtype(np.int8),
    "uint16": np.dtype(np.uint16),
    "int16": np.dtype(np.int16),
    "int32": np.dtype(np.int32),
    "int64": np.dtype(np.int64),
    "string": np.dtype(object),
    "bool": np.dtype(np.bool_),
    "float16": np.dtype(np.float16),
    "double": np.dtype(np.float64),
    "uint32": np.dtype(np.uint32),
    "uint64": np.dtype(np.uint64),
    "complex64": np.dtype(np.complex64),
    "complex128": np.dtype(np.complex128),
    "bfloat16": np.dtype(ml_dtypes.bfloat16),
    "float8e4m3fn": np.dtype(ml_dtypes.float8_e4m3fn),
    "float8e4m3fnuz": np.dtype(ml_dtypes.float8_e4m3fnuz),
    "float8e5m2": np.dtype(ml_dtypes.float8_e5m2),
    "float8e5m2fnuz": np.dtype(ml_dtypes.float8_e5m2fnuz),
    "uint4": np.dtype(ml_dtypes.uint4),
    "int4": np.dtype(ml_dtypes.int4),
    "float4e2m1": np.dtype(ml_dtypes.float4_e2m1fn),
    "float8e8m0": np.dtype(ml_dtypes.float8_e8m0fnu),
    "uint2": np.dtype(ml_dtypes.uint2),
    "int2": np.dtype(ml_dtypes.int2),
    "float6e2m3": np.dtype(ml_dtypes.float6_e2m3fn),
    "float6e3m2": np.dtype(ml_dtypes.float6_e3m2fn),
}

_BELOW_A_BYTE = ("uint4", "int4", "float4e2m1", "uint2", "int2", "float6e2m3", "float6e3m2")

WHOLE_BYTE_DTYPES: dict[int, np.dtype[Any]] = {
    code: dtype
    for code, (word, dtype) in enumerate(_DTYPES.items(), start=1)
    if word != "string" and word not in _BELOW_A_BYTE
}
"""The dtypes whose elements C holds as NumPy does, by their numbers of TensorProto.DataType."""

_CODES: dict[int, str] = dict(enumerate(_DTYPES, start=1))
_NAMES: dict[str, str] = {word.upper(): word for word in _DTYPES}
_WORDS: dict[np.dtype[Any], str] = {dtype: word for word, dtype in _DTYPES.items()}
_NUMBERS: dict[str, int] = {word: code for code, word in _CODES.items()}
_NUMPY_NAMES: dict[str, str] = {dtype.name: word for dtype, word in _WORDS.items()}
_STRING_KINDS = "OTUS"


def element_word(dtype: np.dtype[Any]) -> str | None:
    """ONNX's word for a dtype, in any byte order; ``None`` where ONNX has no such type."""
    word = _WORDS.get(dtype)
    if word is not None:
        return word
    if dtype.kind in _STRING_KINDS:
        return "string"
    return _WORDS.get(native(dtype))


def native(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """The dtype in this machine's byte order."""
    return dtype if dtype.isnative else dtype.newbyteorder("=")


def dtype_of(word: str) -> np.dtype[Any]:
    """The dtype that holds an ONNX element type, as float32 for ``float``."""
    return _DTYPES[word]


def element_of_code(code: object) -> str | None:
    """ONNX's word for a number of TensorProto.DataType; ``None`` for any other value."""
    return _CODES.get(code) if isinstance(code, int) else None


def element_of_name(name: str) -> str | None:
    """ONNX's word for a name of TensorProto.DataType, as ``float`` for "FLOAT"; or ``None``."""
    return _NAMES.get(name)


def number_of_element(word: str) -> int:
    """The number of TensorProto.DataType of an element type."""
    return _NUMBERS[word]


def element_of_type(given: object) -> str | None:
    """ONNX's word for a NumPy dtype, its name, or ONNX's name in any form; or ``None``.

    ``float`` as a text is ONNX's, and so of 32 bits; as a class it is Python's, of 64 bits.
    """
    if isinstance(given, str):
        word = given if given in _DTYPES else _NAMES.get(given) or _NUMPY_NAMES.get(given)
        if word is not None:
            return word
    try:
        return element_word(np.dtype(given))  # type: ignore[call-overload]
    except (TypeError, ValueError):
        return None


def is_whole_byte(word: str) -> bool:
    """Return whether elements of this type are numbers of whole bytes."""
    return word not in _BELOW_A_BYTE and word != "string"


def is_element_word(word: str) -> bool:
    """True where ONNX has an element type of this name."""
    return word in _DTYPES


@public
@dataclass(frozen=True, slots=True)
class TensorType:
    """The element type and shape of a tensor, without its contents.

    Args:
        type: ONNX's name of the element type, as ``float`` or ``int64``.
        shape: the dims; ``None`` for a dim that depends on data.
        bound: the upper bound of each dim; the same as ``shape`` where all dims are known.
    """

    type: str
    shape: tuple[int | None, ...]
    bound: tuple[int, ...] | None = None
