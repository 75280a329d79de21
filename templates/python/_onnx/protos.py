"""Tensors, attributes and types of a model, as arrays and plain Python values."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from onnx import AttributeProto, NodeProto, TensorProto, numpy_helper

from opmill._onnx.errors import FeedError, ModelError
from opmill._runtime.buffers import shape_text
from opmill._runtime.errors import AttributeValueError, cut
from opmill._runtime.schema import Schema
from opmill._runtime.types import Array, element_of_code, element_word

_UNREADABLE = (ValueError, TypeError, LookupError, ArithmeticError, AttributeError)
"""What onnx raises where a tensor's fields do not go together."""


def shown(name: str) -> str:
    """A name of a model in a message: quoted, printable, and not too long."""
    return f"'{cut(ascii(name)[1:-1], 60)}'"


def array_of(tensor: TensorProto, where: str) -> Array:
    """The contents of a tensor, as an array that cannot be written to.

    Raises:
        ModelError: its data lie elsewhere, or do not fit its type and dims.
    """
    if tensor.data_location == TensorProto.EXTERNAL:
        raise ModelError(
            f"{where} keeps its data outside of the model; load it with onnx.load(path), "
            "which reads them too"
        )
    word = element_of_code(tensor.data_type)
    if word is None:
        raise ModelError(f"{where} has an unknown element type, {tensor.data_type}")
    dims = tuple(tensor.dims)
    if any(dim < 0 for dim in dims):
        raise ModelError(f"{where} has a negative dim: {shape_text(dims)}")
    try:
        array = numpy_helper.to_array(tensor)
    except _UNREADABLE as error:
        raise ModelError(f"{where} cannot be read: {cut(str(error), 200)}") from error
    if array.shape != dims or element_word(array.dtype) != word:
        raise ModelError(
            f"{where} is {word}{shape_text(dims)} by its fields, but its data are "
            f"{array.dtype}{shape_text(array.shape)}"
        )
    array.flags.writeable = False
    return array


def attributes_of(node: NodeProto, place: str, schema: Schema | None) -> dict[str, Any]:
    """The attributes of a node, by name.

    Args:
        node: the node.
        place: where it is, for messages.
        schema: what its operator is; where it is given, the kinds of attributes must be its own.

    Raises:
        ModelError: an attribute cannot be read, or is of a kind that is not supported.
        AttributeValueError: an attribute is not of the kind that the schema gives it.
    """
    kinds = {attribute.name: attribute.kind for attribute in schema.attributes} if schema else {}
    values: dict[str, Any] = {}
    for attribute in node.attribute:
        name, what = attribute.name, f"{place}: attribute {shown(attribute.name)}"
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
            values[name] = read(attribute, what)
        except UnicodeDecodeError:
            raise ModelError(f"{what} is no UTF-8 text") from None
    return values


_READERS: Mapping[str, Callable[[AttributeProto, str], Any]] = {
    "FLOAT": lambda attribute, what: attribute.f,
    "INT": lambda attribute, what: attribute.i,
    "STRING": lambda attribute, what: attribute.s.decode(),
    "TENSOR": lambda attribute, what: array_of(attribute.t, what),
    "TYPE_PROTO": lambda attribute, what: attribute.tp,
    "FLOATS": lambda attribute, what: tuple(attribute.floats),
    "INTS": lambda attribute, what: tuple(attribute.ints),
    "STRINGS": lambda attribute, what: tuple(item.decode() for item in attribute.strings),
    "TENSORS": lambda attribute, what: tuple(array_of(t, what) for t in attribute.tensors),
    "TYPE_PROTOS": lambda attribute, what: tuple(attribute.type_protos),
}


def constant_of(node: NodeProto, place: str) -> Array:
    """What a Constant node gives.

    Raises:
        ModelError: it does not have exactly one value, or one that is not supported.
    """
    given = attributes_of(node, place, None)
    name = next(iter(given), "")
    if len(given) != 1 or name not in _CONSTANTS:
        wanted = ", ".join(_CONSTANTS)
        raise ModelError(f"{place}: a Constant must have one attribute of {wanted}")
    kind, dtype = _CONSTANTS[name]
    if node.attribute[0].type != AttributeProto.AttributeType.Value(kind):
        raise ModelError(f"{place}: attribute '{name}' must be {kind}")
    array: Array = np.asarray(given[name], dtype)
    array.flags.writeable = False
    return array


_CONSTANTS: Mapping[str, tuple[str, Any]] = {
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


def arguments_of(node: NodeProto, given: Sequence[Any], place: str) -> list[Any]:
    """The value of each input of a node, ``None`` for one that is left out.

    Args:
        node: the node.
        given: a value for each input, or only for those that have a name.
        place: where the node is, for messages.

    Raises:
        FeedError: there are too many or too few.
    """
    if not isinstance(given, (list, tuple)):
        raise FeedError(f"inputs has type {type(given).__name__}, expected a list of arrays")
    if len(given) == len(node.input):
        return list(given)
    check_count(given, sum(1 for name in node.input if name), place)
    values = iter(given)
    return [next(values) if name else None for name in node.input]
