"""Facts about the values of a graph: types, shapes, constants. A fact that is unknown is an error.

Types and shapes are those that ONNX infers, at the opset that the nodes have.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from onnx import GraphProto, NodeProto, TensorProto, TypeProto

from opmill._convert.folding import folded
from opmill._onnx.outside import Folder
from opmill._onnx.protos import array_of, constant_of
from opmill._runtime.types import dtype_of, number_of_element

_DEPTH = 64
"""Maximum number of nodes between a constant and its reader."""


class Refusal(Exception):
    """A node that cannot be moved; the text is the reason."""


@dataclass(frozen=True)
class Value:
    """An input or output of a node: its name in the model, and its name in the spec."""

    name: str
    formal: str


@dataclass
class Scope:
    """The known facts about the values of a graph; those of the graphs around it are visible."""

    folder: Folder
    opset: int
    outer: Scope | None = None
    types: dict[str, TypeProto] = field(default_factory=dict)
    tensors: dict[str, TensorProto] = field(default_factory=dict)
    producers: dict[str, NodeProto] = field(default_factory=dict)
    defaults: set[str] = field(default_factory=set)
    contents: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def of_graph(cls, graph: GraphProto, folder: Folder, opset: int, outer: Scope | None) -> Scope:
        """Collect the facts that a graph states."""
        scope = cls(folder, opset, outer)
        for info in (*graph.value_info, *graph.input, *graph.output):
            scope.types[info.name] = info.type
        inputs = {info.name for info in graph.input}
        for tensor in graph.initializer:
            scope.tensors[tensor.name] = tensor
            type_ = TypeProto()
            type_.tensor_type.elem_type = tensor.data_type
            for size in tensor.dims:
                type_.tensor_type.shape.dim.add().dim_value = size
            type_.tensor_type.shape.SetInParent()
            scope.types[tensor.name] = type_
            if tensor.name in inputs:
                scope.defaults.add(tensor.name)
        scope.add_nodes(graph.node)
        return scope

    def add_nodes(self, nodes: Any) -> None:
        """Remember which node produces which value."""
        for node in nodes:
            self.producers.update((name, node) for name in node.output if name)

    def _around(self, name: str) -> Scope | None:
        scope: Scope | None = self
        while scope is not None:
            known = name in scope.types or name in scope.producers or name in scope.tensors
            if known:
                return scope
            scope = scope.outer
        return None

    def type_of(self, name: str) -> TypeProto | None:
        """The type of a value; ``None`` where it is unknown."""
        scope = self._around(name)
        return scope.types.get(name) if scope else None

    def tensor_of(self, name: str) -> TensorProto | None:
        """The initializer that holds a value, unless callers of the model may give another one."""
        scope = self._around(name)
        return None if scope is None or name in scope.defaults else scope.tensors.get(name)

    def constant(self, value: Value) -> Any:
        """The contents of a constant as an array.

        Raises:
            Refusal: the value is computed, or may be given by the caller of the model.
        """
        found = self._contents(value.name, value.formal, 0)
        if found is None:
            raise Refusal(f"{value.formal} ({value.name}) is computed, expected a constant")
        return found

    def folded(self, node: NodeProto) -> list[Any]:
        """The outputs of a node whose inputs are constants; empty where they are not."""
        return self._folded(node, node.op_type, 0)

    def _contents(self, name: str, formal: str, depth: int) -> Any:
        scope = self._around(name)
        if scope is None or depth > _DEPTH:
            return None
        if name in scope.defaults:
            raise Refusal(
                f"{formal} ({name}) is an input of the model with a default, expected a constant"
            )
        if name in scope.tensors:
            return array_of(scope.tensors[name], f"initializer {name}", scope.folder)
        node = scope.producers.get(name)
        if node is None or node.domain not in ("", "ai.onnx"):
            return None
        if node.op_type == "Constant":
            return _constant(node, scope.folder)
        if name not in scope.contents:
            results = scope._folded(node, formal, depth)
            scope.contents.update(zip(node.output, results, strict=False))
        return scope.contents.get(name)

    def _folded(self, node: NodeProto, formal: str, depth: int) -> list[Any]:
        def read(name: str) -> Any:
            return self._contents(name, formal, depth + 1)

        return folded(node, self.opset, self.type_of, read)


def _constant(node: NodeProto, folder: Folder) -> Any:
    for attribute in node.attribute:
        if attribute.ref_attr_name:
            raise Refusal("a Constant takes its value from an attribute of a function")
    return constant_of(node, f"Constant {node.output[0]}", folder)


def type_word(type_: TypeProto | None) -> str | None:
    """The element type of a tensor as ONNX's types spell it; ``None`` where it is unknown."""
    if type_ is None or not type_.HasField("tensor_type"):
        return None
    return WORDS.get(type_.tensor_type.elem_type)


WORDS: Mapping[int, str] = {
    number_of_element(word): word
    for word in (
        "float", "uint8", "int8", "uint16", "int16", "int32", "int64", "string", "bool",
        "float16", "double", "uint32", "uint64", "complex64", "complex128", "bfloat16",
        "float8e4m3fn", "float8e4m3fnuz", "float8e5m2", "float8e5m2fnuz", "uint4", "int4",
        "float4e2m1", "float8e8m0", "uint2", "int2",
        "float6e2m3", "float6e3m2",
    )
}  # fmt: skip


def typed(values: Any, word: str) -> np.ndarray[Any, Any]:
    """An array of an element type that ONNX spells so."""
    return np.asarray(values, dtype_of(word))
