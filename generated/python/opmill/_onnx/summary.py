"""Summary of a model without running it; ``opmill inspect`` prints it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

from opmill._model.budget import NO_LIMITS, Limits
from opmill._model.declared import Declared
from opmill._model.graph import Graph, Node, live_nodes
from opmill._onnx.elsewhere import Lacking
from opmill._onnx.reader import Source, folder_of, message_of, read_graph
from opmill._runtime.operator import Operator


@dataclass(frozen=True, slots=True)
class OperatorUse:
    """An operator version that a model needs.

    Args:
        operator: ONNX's name, as ``Relu``.
        version: its version.
        domain: its domain.
        nodes: how many nodes are of it, those in subgraphs and in the bodies of functions too.
        computed_by: the backends, the best first; ``model`` for what runs subgraphs; none where it
            is not supported.
        where: the first node.
    """

    operator: str
    version: int
    domain: str
    nodes: int
    computed_by: tuple[str, ...]
    where: str


@dataclass(frozen=True, slots=True)
class Value:
    """An input or output: its name, and its type in ONNX's words, with the shape."""

    name: str
    type: str


@dataclass(frozen=True, slots=True)
class Summary:
    """The contents of a model.

    Args:
        producer: the tool that wrote it, with its version.
        ir_version: the version of ONNX's format.
        opsets: the version of each domain that it imports.
        inputs: what a run is given.
        outputs: what it returns.
        operators: the operator versions that the outputs need, sorted.
        nodes: how many nodes the outputs need.
        parameters: how many elements the constants have that these nodes read.
        parameter_bytes: how many bytes they have.
        notes: what is not as ONNX demands it, or newer than what is known here.
    """

    producer: str
    ir_version: int
    opsets: dict[str, int]
    inputs: tuple[Value, ...]
    outputs: tuple[Value, ...]
    operators: tuple[OperatorUse, ...]
    nodes: int
    parameters: int
    parameter_bytes: int
    notes: tuple[str, ...]

    @property
    def is_supported(self) -> bool:
        """True if all operator versions are."""
        return all(use.computed_by for use in self.operators)

    def as_json(self) -> dict[str, Any]:
        """The same as data for JSON."""
        return {"supported": self.is_supported, **asdict(self)}


def summary_of(source: Source, limits: Limits = NO_LIMITS) -> Summary:
    """Read a model; its operators need not be supported.

    Raises:
        OSError: a file cannot be read.
        ModelError: the model is not valid.
        OpError: a node's attributes are not legal.
    """
    message = message_of(source)
    read = read_graph(message, folder_of(source), limits=limits)
    graph = read.graph
    uses: dict[tuple[str, str, int], list[Node]] = {}
    constants: dict[int, Any] = {}
    for node, around in _nodes(graph):
        name, _, version = node.label.rpartition("-")
        uses.setdefault((node.domain, name, int(version)), []).append(node)
        for number in node.inputs:
            if number in around.constants:
                constants[id(around.constants[number])] = around.constants[number]
    given = [
        declared
        for declared, number in zip(graph.inputs, graph.numbers, strict=True)
        if number not in graph.constants
    ]
    return Summary(
        f"{message.producer_name} {message.producer_version}".strip(),
        message.ir_version,
        read.opsets,
        tuple(map(_value, given)),
        tuple(map(_value, graph.outputs)),
        tuple(
            OperatorUse(
                name, version, domain, len(nodes), _computed_by(nodes[0]), nodes[0].location
            )
            for (domain, name, version), nodes in sorted(uses.items())
        ),
        sum(map(len, uses.values())),
        sum(value.size for value in constants.values()),
        sum(value.nbytes for value in constants.values()),
        (*read.newer, *read.notes),
    )


def _nodes(graph: Graph) -> Iterator[tuple[Node, Graph]]:
    """Every node that the results need, those of subgraphs too, and its graph."""
    for node in live_nodes(graph.nodes, graph.results):
        yield node, graph
        if not isinstance(node.operator, Operator):
            for inner in node.operator.subgraphs():
                yield from _nodes(inner)


def _computed_by(node: Node) -> tuple[str, ...]:
    if isinstance(node.operator, Operator):
        return node.operator.backends
    return () if isinstance(node.operator, Lacking) else ("model",)


def _value(declared: Declared) -> Value:
    return Value(declared.name, declared.described())
