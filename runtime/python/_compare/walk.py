"""Computes a model node by node, each as a model of its own.

A node with its inputs is a ``Call``, which any runtime can compute: what a node's graphs read from
outside, and what its function needs, is part of it. Values are released when no later node reads
them, so that memory is bounded by what one run of the model needs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from onnx import (
    AttributeProto,
    GraphProto,
    ModelProto,
    NodeProto,
    TensorProto,
    TypeProto,
    external_data_helper,
    helper,
)

from opmill._model.declared import Declared
from opmill._model.errors import ModelError, lacking_error
from opmill._model.model import Model
from opmill._onnx.catalog import domain_name, domains, resolve
from opmill._onnx.order import Order, location_of, reads
from opmill._onnx.reader import Source, folder_of, message_of, read_graph
from opmill._onnx.tensors import array_of_tensor, tensor_of_array
from opmill._runtime.errors import Error
from opmill._runtime.graph_operator import GraphOperator
from opmill._runtime.operator import Operator
from opmill._runtime.types import element_word, number_of_element

_FIRST_IR = 4
"""The first IR version with initializers that are no inputs."""


@dataclass(frozen=True, slots=True)
class Call:
    """A node with its inputs, and its outputs as opmill computes them.

    Args:
        position: the index of the node in the model's graph.
        location: the same for messages, as ``node 2 'relu'``.
        operator: the operator version; ``None`` of a function and of what opmill does not support.
        label: the operator version, or the name of the function.
        node: the node.
        inputs: the value of each name that the node reads, but for absent inputs.
        constants: the names among these that are initializers of the model.
        outputs: the value of each named output.
        is_random: whether it draws random numbers.
    """

    position: int
    location: str
    operator: Operator | None
    label: str
    node: NodeProto
    inputs: dict[str, Any]
    constants: frozenset[str]
    outputs: dict[str, Any]
    is_random: bool


@dataclass
class Walk:
    """A model whose nodes are computed one after the other.

    Args:
        source: see ``opmill.Model``.
        fallback: the runtime of nodes that opmill does not support.
    """

    source: Source
    fallback: Any = None
    message: ModelProto = field(init=False)
    inputs: tuple[Declared, ...] = field(init=False)
    """The inputs that a run needs."""
    defaults: tuple[Declared, ...] = field(init=False)
    """The inputs that have an initializer."""
    order: tuple[int, ...] = field(init=False)
    """The positions of the nodes that the outputs need, in the order of computation."""

    def __post_init__(self) -> None:
        read = read_graph(self.source, fallback=self.fallback)
        if read.missing and self.fallback is None:
            raise lacking_error(read.missing)
        self.message = ModelProto()
        self.message.CopyFrom(message_of(self.source))
        folder = folder_of(self.source)
        if folder is not None:
            external_data_helper.load_external_data_for_model(self.message, folder)
        graph = read.graph
        is_default = [number in graph.constants for number in graph.numbers]
        pairs = list(zip(graph.inputs, is_default, strict=True))
        self.inputs = tuple(declared for declared, has in pairs if not has)
        self.defaults = tuple(declared for declared, has in pairs if has)
        self._opsets = read.opsets
        self._tensors: dict[str, TensorProto] = {
            tensor.name: tensor for tensor in self.message.graph.initializer
        }
        self._sparse = {one.values.name: one for one in self.message.graph.sparse_initializer}
        self._functions = {
            (domain_name(one.domain), one.name): one for one in self.message.functions
        }
        self.order = tuple(self._needed())

    @property
    def output_names(self) -> tuple[str, ...]:
        """The names of the outputs."""
        return tuple(one.name for one in self.message.graph.output)

    @property
    def names(self) -> frozenset[str]:
        """The names of all values that the nodes in ``order`` compute."""
        nodes = self.message.graph.node
        return frozenset(name for k in self.order for name in nodes[k].output if name)

    def _needed(self) -> list[int]:
        graph = self.message.graph
        given = {*self._tensors, *self._sparse, *(one.name for one in graph.input)}
        needed, found = set(self.output_names), []
        for position in reversed(Order(graph.node, given).positions("")):
            node = graph.node[position]
            if needed.intersection(node.output):
                needed.update(reads(node))
                found.append(position)
        return found[::-1]

    def calls(self, inputs: Mapping[str, Any]) -> Iterator[Call]:
        """Compute the nodes one after the other; yields each with its inputs and outputs.

        Args:
            inputs: a value for each input, by name.

        Raises:
            Error: a node refuses its inputs.
        """
        nodes = self.message.graph.node
        values: dict[str, Any] = dict(inputs)
        left = Counter(name for k in self.order for name in set(reads(nodes[k])))
        for position in self.order:
            node = nodes[position]
            yield self._call(position, node, values)
            for name in set(reads(node)):
                left[name] -= 1
                if not left[name]:
                    values.pop(name, None)

    def _call(self, position: int, node: NodeProto, values: dict[str, Any]) -> Call:
        names = [name for name in dict.fromkeys(reads(node)) if name]
        constants = frozenset(name for name in names if name not in values)
        given = {name: self.constant(name) if name in constants else values[name]
                 for name in names}  # fmt: skip
        location = location_of(node, position)
        model = self.model_of(node, given, constants)
        try:
            results = Model(model, fallback=self.fallback).run(_fed(given, constants))
        except Error as error:
            text = str(error).removeprefix(f"{location_of(node, 0)}: ")
            raise ModelError(f"{location}: {text}") from None
        outputs = {name: results[name] for name in results.keys()}  # noqa: SIM118 - no mapping
        values.update(outputs)
        operator = self._operator(node, location)
        label = node.op_type if operator is None else operator.schema.label
        is_random = self._is_random(node, frozenset())
        return Call(position, location, operator, label, node, given, constants, outputs, is_random)

    def constant(self, name: str) -> Any:
        """Return the value of an initializer."""
        if name in self._tensors:
            return array_of_tensor(self._tensors[name])
        if name in self._sparse:
            sparse = self._sparse[name]
            holder = helper.make_node("Constant", [], ["y"], sparse_value=sparse)
            return Model(self.model_of(holder, {}, frozenset())).run([])[0]
        raise ModelError(f"input '{name}' is missing")

    def is_call_of_function(self, node: NodeProto) -> bool:
        """Return whether a node calls a function of the model."""
        return (domain_name(node.domain), node.op_type) in self._functions

    def has_nodes(self, call: Call) -> bool:
        """Return whether a node consists of others: it runs graphs or calls a function."""
        return isinstance(call.operator, GraphOperator) or self.is_call_of_function(call.node)

    def _operator(self, node: NodeProto, location: str) -> Operator | None:
        domain = domain_name(node.domain)
        if self.is_call_of_function(node) or domain not in domains():
            return None
        found = resolve(location, node.op_type, domain, self._opsets.get(domain, 0))
        return found if isinstance(found, Operator) else None

    def _is_random(self, node: NodeProto, around: frozenset[tuple[str, str]]) -> bool:
        """Return whether a node draws random numbers, in its graphs and functions too."""
        key = (domain_name(node.domain), node.op_type)
        inner: list[NodeProto] = []
        if key in self._functions and key not in around:
            inner += self._functions[key].node
        for attribute in node.attribute:
            if attribute.type == AttributeProto.GRAPH:
                inner += attribute.g.node
        operator = self._operator(node, "") if key[0] in self._opsets else None
        own = operator is not None and operator.schema.determinism == "non_deterministic"
        if own and not isinstance(operator, GraphOperator):
            return True
        return any(self._is_random(one, around | {key}) for one in inner)

    def model_of(
        self,
        node: NodeProto,
        inputs: Mapping[str, Any],
        constants: frozenset[str],
        outputs: Mapping[str, Any] | None = None,
    ) -> ModelProto:
        """Return a model of a node alone.

        Args:
            node: the node.
            inputs: the values that it reads, by name.
            constants: the names of those that become initializers; the others become inputs.
            outputs: its outputs, which are declared with their types and shapes.
        """
        known = outputs or {}
        graph = helper.make_graph(
            [node],
            node.op_type,
            [value_info(name, value) for name, value in inputs.items() if name not in constants],
            [
                value_info(name, known[name])
                if name in known
                else helper.make_empty_tensor_value_info(name)
                for name in node.output
                if name
            ],
            [tensor_of_array(inputs[name], name) for name in inputs if name in constants],
        )
        return self.model_with(graph)

    def model_with(self, graph: GraphProto) -> ModelProto:
        """Return a model of another graph, with the opsets and the functions of this one."""
        return helper.make_model(
            graph,
            opset_imports=self.message.opset_import,
            functions=self.message.functions,
            ir_version=max(self.message.ir_version, _FIRST_IR),
            producer_name="opmill",
        )


def _fed(inputs: Mapping[str, Any], constants: frozenset[str]) -> dict[str, Any]:
    return {name: value for name, value in inputs.items() if name not in constants}


def value_info(name: str, value: Any) -> Any:
    """The declaration of a value; empty sequences and optionals are declared as float."""
    return helper.make_value_info(name, _type_of(value))


def _type_of(value: Any) -> TypeProto:
    if value is None:
        return helper.make_optional_type_proto(helper.make_tensor_type_proto(1, None))
    if isinstance(value, list):
        word = element_word(value[0].dtype) if value else "float"
        item = helper.make_tensor_type_proto(number_of_element(str(word)), None)
        return helper.make_sequence_type_proto(item)
    array = np.asarray(value)
    word = element_word(array.dtype)
    return helper.make_tensor_type_proto(number_of_element(str(word)), array.shape)


def described(names: Sequence[str], values: Mapping[str, Any]) -> list[str]:
    """Values in a line each: name, type, shape, and the range of their numbers.

    Args:
        names: the names, in order.
        values: the values by name; a name without a value is left out.
    """
    return [f"{name} {facts(values[name])}" for name in names if name in values]


def facts(value: Any) -> str:
    """Return a value in a line: type, shape, and the range of its numbers."""
    if value is None:
        return "empty optional"
    if isinstance(value, list):
        return f"sequence of {len(value)}"
    text = f"{element_word(value.dtype)}{list(value.shape)}"
    if value.dtype.kind in "OSUT" or not value.size or value.dtype.kind in "c?b":
        return text
    numbers = value.astype(np.float64)
    nans = int(np.isnan(numbers).sum())
    if nans == numbers.size:
        return f"{text} all NaN"
    text += f" from {np.nanmin(numbers):g} to {np.nanmax(numbers):g}"
    return f"{text}, {nans} NaN" if nans else text
