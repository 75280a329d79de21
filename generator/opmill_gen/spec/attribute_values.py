"""The attributes of cases: plain values, and tensors, which are written as those of inputs are.

A sparse tensor has the keys ``values`` and ``indices``, tensors both, and ``dims``. A graph has
``inputs``, ``nodes`` and ``outputs``.
"""

from __future__ import annotations

import keyword
from collections.abc import Mapping
from dataclasses import dataclass

from opmill_gen.base.onnx_types import ElementType
from opmill_gen.spec.tensor_values import ByOracle, TensorValue
from opmill_gen.yaml_reader.decode import Faults, Node, Unreadable, key, read_node
from opmill_gen.yaml_reader.tree import Entries, Tree, plain


@dataclass(frozen=True, kw_only=True)
class SparseValue(Node):
    """A sparse tensor of a case."""

    values: TensorValue = key("the elements that are not 0")
    indices: TensorValue = key("their positions")
    dims: tuple[int, ...] = key("the shape")

    @property
    def type(self) -> ElementType:
        """The type of the elements."""
        return self.values.type


@dataclass(frozen=True, kw_only=True)
class GraphNode(Node):
    """A node of a graph."""

    op: str = key("ONNX's name of the operator, of the domain ai.onnx")
    inputs: tuple[str, ...] = key("the names of its inputs", default=())
    outputs: tuple[str, ...] = key("the names of its outputs")
    attributes: Mapping[str, Tree] = key("the attributes by name", default={})


@dataclass(frozen=True, kw_only=True)
class GraphType(Node):
    """The type and shape of an output of a graph."""

    type: ElementType = key("the element type")
    shape: tuple[int, ...] = key("the shape", default=())


@dataclass(frozen=True, kw_only=True)
class GraphValue(Node):
    """A graph of a case."""

    inputs: tuple[str, ...] = key("the names of the inputs", default=())
    nodes: tuple[GraphNode, ...] = key("the nodes, in an order in which they can be computed")
    outputs: tuple[str, ...] = key("the names of the outputs")
    types: Mapping[str, GraphType] = key("the declared types of outputs, by name", default={})


def attribute_value(tree: Tree) -> object:
    """The value of an attribute; a mapping is a tensor. ``check_attribute`` has read it before."""
    return _tensor(tree, Faults()) if isinstance(tree, Entries) else plain(tree)


def check_attribute(tree: Tree, faults: Faults) -> None:
    """Report what is wrong with a value that is a tensor."""
    if not isinstance(tree, Entries):
        return
    try:
        value = _tensor(tree, faults)
    except Unreadable:
        return
    if isinstance(value, GraphValue):
        _check_graph(value, faults)
        return
    parts = (value.values, value.indices) if isinstance(value, SparseValue) else (value,)
    if any(isinstance(part.source, ByOracle) for part in parts):
        faults.report(tree.location, "an oracle computes outputs; write the attribute's values")


def _check_graph(graph: GraphValue, faults: Faults) -> None:
    """Report names that no Python has, values that nothing makes, and those made twice."""
    known: set[str] = set()

    def make(names: tuple[str, ...], location: Node, key: str) -> None:
        for name in names:
            if not name.isidentifier() or keyword.iskeyword(name):
                faults.report(location.at(key), f"'{name[:40]}' cannot name a value in Python")
            if name in known:
                faults.report(location.at(key), f"'{name[:40]}' is made twice in this graph")
            known.add(name)

    make(graph.inputs, graph, "inputs")
    for node in graph.nodes:
        for name in node.inputs:
            if name not in known:
                faults.report(node.at("inputs"), f"nothing before this node makes '{name[:40]}'")
        for tree in node.attributes.values():
            check_attribute(tree, faults)
        make(node.outputs, node, "outputs")
    for name in graph.outputs:
        if name not in known:
            faults.report(graph.at("outputs"), f"nothing in this graph makes '{name[:40]}'")
    for name in graph.types:
        if name not in graph.outputs:
            faults.report(graph.at("types"), f"'{name[:40]}' is no output of this graph")


def _tensor(tree: Entries, faults: Faults) -> TensorValue | SparseValue | GraphValue:
    if "outputs" in tree.entries:
        return read_node(GraphValue, tree, faults)
    if "values" in tree.entries:
        return read_node(SparseValue, tree, faults)
    return TensorValue.from_tree(tree, faults)
