"""The data of TensorProto as arrays and back, in every element type whichever onnx is installed.

Releases of onnx before 1.19 return bfloat16, float8 and int4 as float32 or int8, write none of them
from arrays, and fail at types that ONNX added later.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray
from onnx import SequenceProto, TensorProto

from opmill._runtime.types import Array, dtype_of, element_of_code, element_word, number_of_element

_BITS = {
    "int2": 2, "uint2": 2, "int4": 4, "uint4": 4, "float4e2m1": 4, "float6e2m3": 6, "float6e3m2": 6,
}  # fmt: skip
"""The number of bits of elements that share bytes."""

_FIELDS = {
    "float": "float_data",
    "complex64": "float_data",
    "double": "double_data",
    "complex128": "double_data",
    "int64": "int64_data",
    "uint32": "uint64_data",
    "uint64": "uint64_data",
    "string": "string_data",
}
"""The field of elements that are not in ``raw_data``; that of all other types is ``int32_data``."""


def field_of(word: str) -> str:
    """Return the field that holds elements of a type outside of ``raw_data``."""
    return _FIELDS.get(word, "int32_data")


def number_of_bytes(word: str, count: int) -> int:
    """Return the size of so many elements in ``raw_data``, or in a file."""
    bits = _BITS.get(word)
    return count * dtype_of(word).itemsize if bits is None else -(-count * bits // 8)


def number_of_values(word: str, count: int) -> int:
    """Return how many values of ``field_of(word)`` hold so many elements."""
    bits = _BITS.get(word, 8)
    if word.startswith("complex"):
        return 2 * count
    return count if 8 % bits else -(-count // (8 // bits))


def array_of_bytes(data: NDArray[np.uint8], word: str, dims: Iterable[int]) -> Array:
    """Return an array of data in ONNX's layout; the array shares them where it can.

    Raises:
        ValueError: the data have another size, or NumPy has no array of so many dims.
    """
    shape, dtype = tuple(dims), dtype_of(word)
    if word in _BITS:
        return _unpacked(data, _BITS[word], prod(shape)).view(dtype).reshape(shape)
    little = data.view(dtype.newbyteorder("<"))
    return little.astype(dtype, copy=False).reshape(shape)


def array_of_tensor(tensor: TensorProto) -> Array:
    """Return the contents of a tensor that has its data inside.

    Raises:
        ValueError: its type is unknown, its data are in a file, or do not go together.
    """
    word, dims = element_of_code(tensor.data_type), tuple(tensor.dims)
    if word is None:
        raise ValueError(f"the element type {tensor.data_type} is unknown")
    if tensor.data_location == TensorProto.EXTERNAL or tensor.HasField("segment"):
        raise ValueError("the data are not inside of the tensor")
    dtype = dtype_of(word)
    if word == "string":
        strings = np.empty(len(tensor.string_data), object)
        strings[:] = [text.decode("utf-8") for text in tensor.string_data]
        return strings.reshape(dims)
    if tensor.HasField("raw_data"):
        return array_of_bytes(np.frombuffer(tensor.raw_data, np.uint8), word, dims)
    field = field_of(word)
    values = getattr(tensor, field)
    if word.startswith("complex"):
        part = np.float32 if field == "float_data" else np.float64
        return np.array(values, part).view(dtype).reshape(dims)
    if word == "int32" or field != "int32_data":
        return np.array(values, dtype).reshape(dims)
    # The low bits of each value are those of an element, or of a byte that elements share.
    bits = np.array(values, np.int32).astype(f"u{dtype.itemsize}")
    if word in _BITS and not 8 % _BITS[word]:
        return array_of_bytes(bits, word, dims)
    if word in _BITS:
        bits &= (1 << _BITS[word]) - 1
    return bits.view(dtype).reshape(dims)


def tensor_of_array(array: Array, name: str = "") -> TensorProto:
    """Return an array as a tensor.

    Raises:
        TypeError: ONNX has no such element type, or an element is neither text nor bytes.
    """
    word = element_word(array.dtype)
    if word is None:
        raise TypeError(f"ONNX has no element type for {array.dtype}")
    tensor = TensorProto(data_type=number_of_element(word), dims=array.shape)
    if name:
        tensor.name = name
    if word == "string":
        tensor.string_data.extend(_encoded(text) for text in array.reshape(-1).tolist())
    elif word in _BITS:
        elements = np.ascontiguousarray(array).reshape(-1).view(np.uint8)
        tensor.raw_data = _packed(elements, _BITS[word]).tobytes()
    else:
        little = dtype_of(word).newbyteorder("<")
        tensor.raw_data = array.astype(little, copy=False).tobytes()
    return tensor


def sequence_of_arrays(arrays: Iterable[Any], name: str = "") -> SequenceProto:
    """Return arrays as a sequence of tensors."""
    sequence = SequenceProto(elem_type=SequenceProto.TENSOR)
    if name:
        sequence.name = name
    sequence.tensor_values.extend(tensor_of_array(np.asarray(one)) for one in arrays)
    return sequence


def _encoded(text: Any) -> bytes:
    if isinstance(text, bytes):
        return text
    if isinstance(text, str):
        return text.encode("utf-8")
    raise TypeError(f"a text is of class {type(text).__name__}, expected str or bytes")


def _unpacked(data: NDArray[np.uint8], bits: int, count: int) -> NDArray[np.uint8]:
    """Return a byte for each element; the first element is in the lowest bits."""
    if -(-count * bits // 8) != data.size:
        raise ValueError(f"{data.size} bytes do not hold {count} elements of {bits} bits")
    if not 8 % bits:
        parts = [data >> shift & (1 << bits) - 1 for shift in range(0, 8, bits)]
        return np.stack(parts, axis=-1).reshape(-1)[:count]
    each = np.unpackbits(data, count=count * bits, bitorder="little").reshape(count, bits)
    return np.packbits(each, axis=1, bitorder="little").reshape(-1)


def _packed(elements: NDArray[np.uint8], bits: int) -> NDArray[np.uint8]:
    """Return the bytes of elements, one of each byte; bits behind the last are 0."""
    each = np.unpackbits(elements.reshape(-1, 1), axis=1, count=bits, bitorder="little")
    return np.packbits(each.reshape(-1), bitorder="little")
