"""Tensors, attributes and types of a model, as arrays and plain Python values."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import prod
from typing import Any

import numpy as np
from onnx import (
    AttributeProto,
    NodeProto,
    SparseTensorProto,
    TensorProto,
    TypeProto,
)

from opmill._model.errors import FeedError, ModelError, shown
from opmill._onnx.declared import declared
from opmill._onnx.outside import Folder
from opmill._onnx.tensors import (
    array_of_bytes,
    array_of_tensor,
    field_of,
    number_of_bytes,
    number_of_values,
)
from opmill._onnx.wire import Block
from opmill._runtime.buffers import shape_text
from opmill._runtime.errors import AttributeValueError, cut
from opmill._runtime.schema import Schema
from opmill._runtime.sparse import SparseTensor, scatter, sparse_problem
from opmill._runtime.types import Array, dtype_of, element_of_code, element_word

NO_FOLDER = Folder(None)
"""Where a model did not come from a file: no tensor can be outside of it."""

MAX_BYTES = (1 << 63) - 1
"""The maximum size of a tensor."""

_UNREADABLE = (ValueError, TypeError, LookupError, ArithmeticError, AttributeError)
"""What onnx raises where a tensor's fields do not go together."""


def array_of(
    tensor: TensorProto, where: str, folder: Folder = NO_FOLDER, block: Block | None = None
) -> Array:
    """The contents of a tensor, as an array that cannot be written to.

    Args:
        tensor: the tensor.
        where: what messages call it.
        folder: where its data are if they are not in the model.
        block: the data of its field ``raw_data``, if they have been taken out.

    Raises:
        ModelError: its data cannot be read, or do not fit its type and dims.
    """
    word = element_of_code(tensor.data_type)
    if word is None:
        raise ModelError(f"{where} has an unknown element type, {tensor.data_type}")
    dims = tuple(tensor.dims)
    if any(dim < 0 for dim in dims):
        raise ModelError(f"{where} has a negative dim: {shape_text(dims)}")
    if prod(dims) * dtype_of(word).itemsize > MAX_BYTES:
        raise ModelError(f"{where} has shape {shape_text(dims)}, expected at most 2^63-1 bytes")
    if tensor.HasField("segment"):
        raise ModelError(f"{where} is a segment of a tensor, expected a whole tensor")
    if tensor.data_location == TensorProto.EXTERNAL:
        array = _outside(tensor, where, folder, word)
    elif block is not None:
        _check_size(tensor, where, block)
        array = _of_bytes(tensor, where, word, block)
    else:
        array = _inside(tensor, where)
    if array.shape != dims or element_word(array.dtype) != word:
        raise ModelError(
            f"{where} is {word}{shape_text(dims)} by its fields, but its data are "
            f"{array.dtype}{shape_text(array.shape)}"
        )
    if word == "bool":
        # A file may hold other bytes than 0 and 1. Of rank 0, NumPy compares to a scalar.
        array = np.asarray(array.view(np.uint8) != 0)
    array.flags.writeable = False
    return array


def sparse_of_proto(
    tensor: SparseTensorProto, where: str, folder: Folder = NO_FOLDER
) -> SparseTensor:
    """A sparse tensor; its indices are checked by who uses it.

    Args:
        tensor: the tensor.
        where: what messages call it.
        folder: where its data are if they are not in the model.

    Raises:
        ModelError: its data cannot be read.
    """
    values = array_of(tensor.values, f"values of {where}", folder)
    indices = array_of(tensor.indices, f"indices of {where}", folder)
    return SparseTensor(values, indices, tuple(tensor.dims))


def _inside(tensor: TensorProto, where: str) -> Array:
    """The contents of a tensor that has them."""
    _check_size(tensor, where)
    try:
        array: Array = array_of_tensor(tensor)
    except _UNREADABLE as error:
        raise ModelError(f"{where} cannot be read: {cut(str(error), 200)}") from error
    return array


def _check_size(tensor: TensorProto, where: str, block: Block | None = None) -> None:
    """Refuse a tensor whose data have not the size that its type and dims determine.

    Raises:
        ModelError: they have another size.
    """
    word, count = element_of_code(tensor.data_type), prod(tensor.dims)
    assert word is not None
    if tensor.HasField("raw_data"):
        field, what = "raw_data", "byte"
        found = len(tensor.raw_data) if block is None else len(block)
        wanted = number_of_bytes(word, count)
    else:
        field, what = field_of(word), "value"
        found, wanted = len(getattr(tensor, field)), number_of_values(word, count)
    if found != wanted:
        plural = "" if found == 1 else "s"
        raise ModelError(
            f"{where} has {found} {what}{plural} in {field}, expected {wanted} (type {word}, shape "
            f"{shape_text(tuple(tensor.dims))})"
        )


def _outside(tensor: TensorProto, where: str, folder: Folder, word: str) -> Array:
    """The contents of a tensor that has them in a file."""
    if word == "string":
        raise ModelError(f"{where} has type {word}, which is not supported outside of the model")
    size = number_of_bytes(word, prod(tensor.dims))
    return _of_bytes(tensor, where, word, folder.read(tensor, where, size))


def _of_bytes(tensor: TensorProto, where: str, word: str, data: Block) -> Array:
    """The contents of a tensor whose bytes are not in the message."""
    try:
        return array_of_bytes(data, word, tensor.dims)
    except _UNREADABLE as error:  # more axes than NumPy has
        raise ModelError(f"{where} cannot be read: {cut(str(error), 200)}") from error


def attributes_of(
    node: NodeProto, location: str, schema: Schema | None, folder: Folder = NO_FOLDER
) -> dict[str, Any]:
    """The attributes of a node, by name.

    Args:
        node: the node.
        location: where it is, for messages.
        schema: what its operator is; where it is given, the kinds of attributes must be its own.
        folder: where tensors are whose data are not in the model.

    Raises:
        ModelError: an attribute cannot be read, or is of a kind that is not supported.
        AttributeValueError: an attribute is not of the kind that the schema gives it.
    """
    kinds = {attribute.name: attribute.kind for attribute in schema.attributes} if schema else {}
    values: dict[str, Any] = {}
    for attribute in node.attribute:
        name, what = attribute.name, f"{location}: attribute {shown(attribute.name)}"
        if name in values:
            raise ModelError(f"{what} is given twice")
        if attribute.ref_attr_name:
            raise ModelError(f"{what} refers to an attribute of a function, and is in none")
        kind = AttributeProto.AttributeType.Name(attribute.type)
        read = _READERS.get(kind)
        if read is None:
            raise ModelError(f"{what} is of kind {kind}, which is not supported")
        if schema is not None and name in kinds and kinds[name] != kind:
            raise AttributeValueError(
                schema.label, f"attribute '{name}' has kind {kind}, expected {kinds[name]}"
            )
        try:
            values[name] = read(attribute, what, folder)
        except UnicodeDecodeError:
            raise ModelError(f"{what} is no UTF-8 text") from None
    return values


def _type_word(type_: TypeProto, what: str) -> str:
    """ONNX's word for a type, as ``seq(tensor(float))``."""
    found = declared("", type_, what).type
    if found is None:
        raise ModelError(f"{what} is no type")
    return found.word


_READERS: Mapping[str, Callable[[AttributeProto, str, Folder], Any]] = {
    "FLOAT": lambda attribute, what, folder: attribute.f,
    "INT": lambda attribute, what, folder: attribute.i,
    "STRING": lambda attribute, what, folder: attribute.s.decode(),
    "TENSOR": lambda attribute, what, folder: array_of(attribute.t, what, folder),
    "SPARSE_TENSOR": lambda attribute, what, folder: sparse_of_proto(
        attribute.sparse_tensor, what, folder
    ),
    "TYPE_PROTO": lambda attribute, what, folder: _type_word(attribute.tp, what),
    "FLOATS": lambda attribute, what, folder: tuple(attribute.floats),
    "INTS": lambda attribute, what, folder: tuple(attribute.ints),
    "STRINGS": lambda attribute, what, folder: tuple(item.decode() for item in attribute.strings),
    "TENSORS": lambda attribute, what, folder: tuple(
        array_of(one, what, folder) for one in attribute.tensors
    ),
    "TYPE_PROTOS": lambda attribute, what, folder: tuple(
        _type_word(one, what) for one in attribute.type_protos
    ),
}


def constant_of(
    node: NodeProto,
    location: str,
    folder: Folder = NO_FOLDER,
    check_bytes: Callable[[int, str], None] = lambda count, where: None,
) -> Array:
    """Return the value of a Constant node.

    Args:
        node: the node.
        location: where it is, for messages.
        folder: where its data are if they are not in the model.
        check_bytes: refuses too many bytes, before a sparse tensor becomes a dense one.

    Raises:
        ModelError: it does not have exactly one value, or one that is not supported.
    """
    given = attributes_of(node, location, None, folder)
    name = next(iter(given), "")
    if len(given) != 1 or name not in _CONSTANTS:
        wanted = ", ".join(_CONSTANTS)
        raise ModelError(f"{location}: a Constant must have one attribute of {wanted}")
    kind, dtype = _CONSTANTS[name]
    if node.attribute[0].type != AttributeProto.AttributeType.Value(kind):
        raise ModelError(f"{location}: attribute '{name}' must be {kind}")
    if name == "sparse_value":
        array = dense(given[name], name, f"{location}: attribute '{name}'", check_bytes)
    else:
        array = np.asarray(given[name], dtype)
    array.flags.writeable = False
    return array


def dense(
    given: SparseTensor, name: str, where: str, check_bytes: Callable[[int, str], None]
) -> Array:
    """A sparse tensor with all its elements.

    Args:
        given: the tensor.
        name: what messages about its parts call it.
        where: what messages call what it belongs to.

    Raises:
        ModelError: its parts do not fit together, or are too large for memory.
    """
    problem = sparse_problem(name, given)
    if problem is not None:
        raise ModelError(f"{where} cannot be read: {problem}")
    size = prod(given.shape) * given.values.dtype.itemsize
    check_bytes(size, where)
    shape = f"{where} has shape {shape_text(given.shape)}"
    if size > MAX_BYTES:
        raise ModelError(f"{shape}, expected at most 2^63-1 bytes")
    try:
        array: Array = np.empty(given.shape, given.values.dtype)
    except (ValueError, MemoryError):
        raise ModelError(f"{shape}, expected a tensor that fits into memory") from None
    scatter(given, array)
    return array


_CONSTANTS: Mapping[str, tuple[str, Any]] = {
    "sparse_value": ("SPARSE_TENSOR", None),
    "value": ("TENSOR", None),
    "value_float": ("FLOAT", np.float32),
    "value_floats": ("FLOATS", np.float32),
    "value_int": ("INT", np.int64),
    "value_ints": ("INTS", np.int64),
    "value_string": ("STRING", object),
    "value_strings": ("STRINGS", object),
}


def check_count(given: Sequence[Any], wanted: int, what: str) -> None:
    """Refuse too many or too few values.

    Raises:
        FeedError: there are not as many as wanted.
    """
    if len(given) != wanted:
        raise FeedError(f"{what}: number of inputs is {len(given)}, expected {wanted}")


def arguments_of(node: NodeProto, given: Sequence[Any], location: str) -> list[Any]:
    """The value of each input of a node, ``None`` for one that is left out.

    Args:
        node: the node.
        given: a value for each input, or only for those that have a name.
        location: where the node is, for messages.

    Raises:
        FeedError: there are too many or too few.
    """
    if not isinstance(given, (list, tuple)):
        raise FeedError(f"inputs has type {type(given).__name__}, expected a list of arrays")
    if len(given) == len(node.input):
        return list(given)
    check_count(given, sum(1 for name in node.input if name), location)
    values = iter(given)
    return [next(values) if name else None for name in node.input]
