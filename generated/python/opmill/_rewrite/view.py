"""Queries of rewrites about a graph: producers and readers of values, constants, types."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import Any

from opmill._model.declared import DeclaredTensor
from opmill._model.errors import ModelError
from opmill._model.graph import ABSENT, Graph, Node, live_nodes
from opmill._runtime.errors import OpError
from opmill._runtime.operator import Operator
from opmill._runtime.registry import operator, operators
from opmill._runtime.types import Array, TensorType, element_word

_SAMPLES = (5, 7)
"""Values of dims that a model leaves open: what differs between the two is not known."""


class View:
    """A graph while rules rewrite it.

    Args:
        graph: the graph; the graphs of its nodes are left as they are.
    """

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._constants: dict[int, Array] = dict(graph.constants)
        self._inputs = frozenset(graph.numbers)
        self._results = frozenset(graph.results)
        self._size = graph.size
        self._types: dict[int, TensorType] | None = None
        self._elements: dict[int, str] = {}
        self.nodes: tuple[Node, ...] = ()
        """The nodes that the results need, in order."""
        self.set_nodes(graph.nodes)

    def set_nodes(self, nodes: Sequence[Node]) -> None:
        """Replace the nodes."""
        self.nodes = tuple(live_nodes(nodes, self._graph.results))
        self._makers = {number: node for node in self.nodes for number in node.outputs}
        self._makers.pop(ABSENT, None)
        self._readers: dict[int, list[Node]] = {}
        for node in self.nodes:
            for number in node.inputs:
                self._readers.setdefault(number, []).append(node)
        self._types = None

    def graph(self) -> Graph:
        """The graph with the nodes and constants that it has now."""
        return replace(self._graph, nodes=self.nodes, constants=self._constants, size=self._size)

    def maker(self, number: int) -> Node | None:
        """The node that computes a value."""
        return self._makers.get(number)

    def readers(self, number: int) -> Sequence[Node]:
        """The nodes that read a value, once for each of their inputs."""
        return self._readers.get(number, ())

    def is_result(self, number: int) -> bool:
        """Return whether a value is an output of the graph."""
        return number in self._results

    def constant(self, number: int) -> Array | None:
        """A constant that a run cannot replace; ``None`` for other values."""
        if number in self._inputs:
            return None
        value = self._constants.get(number)
        maker = self._makers.get(number)
        if value is not None or maker is None or not maker.is_pure or not maker.inputs:
            return value
        return self._computed(maker)

    def _computed(self, node: Node) -> Array | None:
        """Return the result of a node of one constant, such as Identity; stored as a constant."""
        assert isinstance(node.operator, Operator)
        if len(node.inputs) != 1 or len(node.outputs) != 1:
            return None
        given = self.constant(node.inputs[0])
        if given is None or given.size != 1:
            return None
        try:
            (value,) = node.operator([given], node.attributes)
        except OpError:  # which a run reports
            return None
        return value if value.size == 1 else None

    def add_constant(self, value: Array) -> int:
        """The number of a new constant."""
        value.flags.writeable = False
        number = self.number()
        self._constants[number] = value
        return number

    def number(self) -> int:
        """The number of a new value."""
        self._size += 1
        return self._size - 1

    def type(self, number: int) -> TensorType | None:
        """The type of a tensor, with ``None`` for dims that are not known; ``None`` if it is not.

        The rank is known where the type is.
        """
        self._infer()
        assert self._types is not None
        return self._types.get(number)

    def element(self, number: int) -> str | None:
        """ONNX's word for the element type of a tensor; ``None`` if it is not known."""
        self._infer()
        type_ = self.type(number)
        return self._elements.get(number) if type_ is None else type_.type

    def _infer(self) -> None:
        """Find the types of all values, unless that is done."""
        if self._types is None:
            self._elements = self._propagated()
            first, second = (self._inferred(sample) for sample in _SAMPLES)
            self._types = {
                number: _common(type_, second[number])
                for number, type_ in first.items()
                if number in second and _agree(type_, second[number])
            }

    def _propagated(self) -> dict[int, str]:
        """The element types that follow from those of inputs, whatever the shapes are."""
        found = {
            n: word for n, value in self._constants.items() if (word := element_word(value.dtype))
        }
        for number, declared in zip(self._graph.numbers, self._graph.inputs, strict=True):
            if isinstance(declared.type, DeclaredTensor) and declared.type.element:
                found[number] = declared.type.element
        for node in self.nodes:
            if not isinstance(node.operator, Operator):
                continue
            schema = node.operator.schema
            variables = {
                parameter.type: found[number]
                for parameter, number in zip(schema.inputs, node.inputs, strict=False)
                if number in found and parameter.type in schema.type_constraints
            }
            for parameter, number in zip(schema.outputs, node.outputs, strict=False):
                if parameter.type in variables:
                    found[number] = variables[parameter.type]
        return found

    def _inferred(self, sample: int) -> dict[int, TensorType]:
        """The types of values where open dims have a value."""
        found: dict[int, Any] = dict(self._constants)
        for number, declared in zip(self._graph.numbers, self._graph.inputs, strict=True):
            type_ = declared.type
            if isinstance(type_, DeclaredTensor) and type_.element and type_.dims is not None:
                dims = tuple(dim if isinstance(dim, int) else sample for dim in type_.dims)
                found[number] = TensorType(type_.element, dims)
        for node in self.nodes:
            if not isinstance(node.operator, Operator):
                continue
            if all(number == ABSENT or number in found for number in node.inputs):
                given = [found.get(number) for number in node.inputs]
                try:
                    types = node.operator.infer(given, node.attributes, node.count)
                except (OpError, ModelError):
                    continue
                found.update(zip(node.outputs, types, strict=False))
        return {number: _typed(value) for number, value in found.items() if number != ABSENT}


def _typed(value: Any) -> TensorType:
    if isinstance(value, TensorType):
        return value
    return TensorType(str(element_word(value.dtype)), value.shape)


def _agree(one: TensorType, other: TensorType) -> bool:
    return one.type == other.type and len(one.shape) == len(other.shape)


def _common(one: TensorType, other: TensorType) -> TensorType:
    """The type with the dims that both have."""
    pairs = zip(one.shape, other.shape, strict=True)
    return TensorType(one.type, tuple(a if a == b else None for a, b in pairs))


@cache
def newest(name: str) -> Operator:
    """The newest version of an operator of ai.onnx."""
    found = (v for domain, known, v in operators() if (domain, known) == ("ai.onnx", name))
    return operator(name, max(found))
