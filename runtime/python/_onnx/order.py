"""The order in which the nodes of a graph or function can be computed."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from onnx import AttributeProto, GraphProto, NodeProto

from opmill._model.errors import ModelError, shown

_NEW, _OPEN, _DONE = range(3)


class Order:
    """The nodes in an order of computation: that of the model where it is one.

    Args:
        nodes: the nodes of a graph or function.
        given: the names that are known before any of them is computed.
    """

    def __init__(self, nodes: Sequence[NodeProto], given: Collection[str]) -> None:
        self._nodes = nodes
        makers: dict[str, int] = {}
        for position, node in enumerate(nodes):
            for name in node.output:
                if name and name not in given:
                    makers.setdefault(name, position)
        self._needs = [
            {makers[name]: name for name in reads(node) if name in makers} for node in nodes
        ]

    def early_reads(self) -> Iterator[tuple[int, str, int]]:
        """The nodes that read an output of a later node, that output, and that node."""
        for position, needs in enumerate(self._needs):
            for maker, name in needs.items():
                if maker >= position:
                    yield position, name, maker

    def positions(self, where: str) -> list[int]:
        """The positions of the nodes in an order of computation.

        A node that reads an output of a later node is preceded by what that output needs; the
        others are in the order of the model. The time is linear in the number of names.

        Args:
            where: the graph, for messages.

        Raises:
            ModelError: the nodes form a cycle.
        """
        if next(self.early_reads(), None) is None:
            return list(range(len(self._needs)))
        states = bytearray(len(self._needs))
        order: list[int] = []
        for first in range(len(self._needs)):
            path = [] if states[first] else [(first, iter(self._needs[first].items()))]
            while path:
                position, rest = path[-1]
                states[position] = _OPEN
                for maker, name in rest:
                    if states[maker] == _OPEN:
                        location = location_of(self._nodes[position], position)
                        raise ModelError(
                            f"{location}{where} reads {shown(name)}, which is computed from the "
                            "node's own outputs, expected nodes without cycles"
                        )
                    if states[maker] == _NEW:
                        path.append((maker, iter(self._needs[maker].items())))
                        break
                else:
                    states[position] = _DONE
                    order.append(position)
                    path.pop()
        return order


def location_of(node: NodeProto, position: int) -> str:
    """Return the location of a node for messages: its number, counted from 0, and its name."""
    return f"node {position} {shown(node.name)}" if node.name else f"node {position}"


def reads(node: NodeProto) -> Iterator[str]:
    """The names that a node reads: its inputs, and what its graphs read from outside."""
    yield from node.input
    for attribute in node.attribute:
        if attribute.type == AttributeProto.GRAPH:
            yield from _outer_names(attribute.g)


def _outer_names(graph: GraphProto) -> set[str]:
    """The names that a graph reads from outside."""
    read = {entry.name for entry in graph.output}
    inside = {entry.name for entry in graph.input}
    inside.update(tensor.name for tensor in graph.initializer)
    inside.update(tensor.values.name for tensor in graph.sparse_initializer)
    for node in graph.node:
        read.update(reads(node))
        inside.update(node.output)
    return read - inside
