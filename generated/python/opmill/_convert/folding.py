"""Constants that a graph computes: sizes that are known, and results of constants."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from onnx import AttributeProto, NodeProto, TensorProto, TypeProto, helper

from opmill._onnx.catalog import MAIN_DOMAIN, domains
from opmill._onnx.tensors import array_of_tensor
from opmill._runtime.errors import Error
from opmill._runtime.operator import Operator
from opmill._runtime.registry import operator

_MAX_ELEMENTS = 1 << 20
"""Maximum number of elements of an array that is computed while converting."""

Read = Callable[[str], Any]
"""Gives the contents of a value, ``None`` where it is no constant."""


def folded(node: NodeProto, opset: int, type_of: Callable[[str], Any], read: Read) -> list[Any]:
    """The outputs of a node whose inputs are constants; empty where they are not.

    Args:
        node: a node of ONNX's own domain.
        opset: its opset.
        type_of: the type of a value.
        read: the contents of a value.
    """
    if node.op_type in ("Shape", "Size") and node.input:
        dims = dims_of(type_of(node.input[0]))
        if dims is None or None in dims:
            return []
        shape = [size for size in dims if size is not None]
        if node.op_type == "Size":
            return [np.asarray(math.prod(shape), np.int64)]
        written = {one.name: one.i for one in node.attribute}
        return [np.asarray(shape[written.get("start", 0) : written.get("end")], np.int64)]
    version = domains()[MAIN_DOMAIN].published.get(node.op_type)
    number = None if version is None else version.at(opset)
    if number is None:
        return []
    try:
        kernel = operator(node.op_type, number, MAIN_DOMAIN)
    except Error:
        return []
    if kernel.schema.determinism != "deterministic":
        return []
    attributes = arguments(node.attribute)
    if attributes is None:
        return []
    inputs: list[Any] = []
    for name in node.input:
        value = read(name) if name else None
        if name and (value is None or value.size > _MAX_ELEMENTS):
            return []
        inputs.append(value)
    results = run(kernel, inputs, attributes, len(node.output))
    return [] if any(one.size > _MAX_ELEMENTS for one in results) else results


def run(
    kernel: Operator, inputs: Sequence[Any], attributes: Mapping[str, Any], outputs: int
) -> list[Any]:
    """The outputs of a call, empty where it is not legal, or returns something else than arrays."""
    try:
        results = list(kernel(list(inputs), attributes, outputs=outputs))
    except Error:
        return []
    return results if all(isinstance(one, np.ndarray) for one in results) else []


def arguments(attributes: Sequence[AttributeProto]) -> dict[str, Any] | None:
    """Attributes as a call takes them; ``None`` where one has no value, or is a graph."""
    found: dict[str, Any] = {}
    for one in attributes:
        if one.ref_attr_name or one.HasField("g") or one.graphs:
            return None
        value = helper.get_attribute_value(one)
        if isinstance(value, TensorProto):
            value = array_of_tensor(value)
        elif isinstance(value, bytes):
            value = value.decode("utf-8", "replace")
        elif one.type == AttributeProto.STRINGS:
            value = [text.decode("utf-8", "replace") for text in one.strings]
        elif hasattr(value, "__len__"):
            value = list(value)
        found[one.name] = value
    return found


def dims_of(type_: TypeProto | None) -> list[int | None] | None:
    """The sizes of a tensor, ``None`` for a size that is unknown; ``None`` without a rank."""
    if type_ is None or not type_.HasField("tensor_type"):
        return None
    tensor = type_.tensor_type
    if not tensor.HasField("shape"):
        return None
    return [d.dim_value if d.HasField("dim_value") else None for d in tensor.shape.dim]
