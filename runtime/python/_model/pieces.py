"""Joins nodes of a fallback that follow each other, and names their inputs that are constant.

The fallback then computes several nodes in one call, and may prepare constants as weights.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Protocol, runtime_checkable

from opmill._model.graph import ABSENT, Node, Special
from opmill._runtime.operator import Operator


@runtime_checkable
class Joinable(Protocol):
    """Computes a node, alone or together with others."""

    def joins(self, other: object, /) -> bool:
        """Return whether it can compute a node of its own and one of another together."""

    def joined(
        self,
        nodes: Sequence[Node],
        inputs: Sequence[int],
        constants: Collection[int],
        outputs: Sequence[int],
        /,
    ) -> Special:
        """Return the steps that compute nodes together.

        Args:
            nodes: the nodes, in order.
            inputs: the numbers of the values that they receive.
            constants: those of them that are the same objects in every run with the same choice of
                a backend.
            outputs: the numbers of the values that others read.
        """


def has_pieces(nodes: Sequence[Node]) -> bool:
    """Return whether a fallback may compute nodes together."""
    return any(_joinable(node) is not None for node in nodes)


def with_pieces(
    nodes: Sequence[Node], results: Collection[int], constants: Collection[int], *, join: bool
) -> list[Node]:
    """The nodes of a run, with pieces in the place of those that a fallback computes.

    Args:
        nodes: the nodes of the run, in order.
        results: the numbers of its results.
        constants: the numbers of its constants.
        join: whether to join nodes, not only to report their constants.
    """
    groups: list[list[Node]] = []
    last: Joinable | None = None
    for node in nodes:
        operator = _joinable(node)
        if join and last is not None and operator is not None and last.joins(operator):
            groups[-1].append(node)
        else:
            groups.append([node])
        last = operator
    found: list[Node] = []
    read = set(results)
    for group in reversed(groups):
        found.append(_piece(group, read, constants))
        read.update(number for node in group for number in node.inputs)
    found.reverse()
    return found


def _piece(group: Sequence[Node], read: Collection[int], constants: Collection[int]) -> Node:
    """A node that computes a group; ``read`` has the numbers that others read afterwards."""
    first = group[0]
    operator = _joinable(first)
    if operator is None:
        return first
    computed = {number for node in group for number in node.outputs}
    inputs = dict.fromkeys(number for node in group for number in node.inputs)
    given = tuple(number for number in inputs if number not in computed and number != ABSENT)
    fixed = {number for number in given if number in constants}
    outputs = tuple(
        number for node in group for number in node.outputs if number in read and number != ABSENT
    )
    special = operator.joined(group, given, fixed, outputs)
    return Node(first.location, special, given, {}, outputs, len(outputs))


def _joinable(node: Node) -> Joinable | None:
    """The object that computes a node, if it can compute several nodes together."""
    operator: object = node.operator
    if isinstance(operator, Operator) or not isinstance(operator, Joinable):
        return None
    return operator if operator.joins(operator) else None
