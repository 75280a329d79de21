"""Packs the constants of a graph, as weights, for the nodes whose kernels take them packed.

A packed constant is a value of its own number, which stands beside the constant: other nodes read
that one. Inputs that a run may be given in place of their initializers are no constants where it
is given them, so that what a caller gives is never packed.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from opmill._model.graph import ABSENT, Node
from opmill._runtime.backend import BackendError
from opmill._runtime.errors import OpError
from opmill._runtime.operator import Operator

Packs = dict[tuple[Any, ...], tuple[Any, Any]]
"""By all that a packed form depends on, what it is computed from and the form itself: one form for
all nodes that read the same constants in the same way."""


class Packing(NamedTuple):
    """An input of a node that is packed before a run.

    Args:
        node: the node, with the constant.
        position: the position of the input.
        number: of the packed value.
    """

    node: Node
    position: int
    number: int


def with_packed(
    nodes: Sequence[Node], constants: Collection[int], first: int
) -> tuple[list[Node], list[Packing]]:
    """The nodes with the numbers of packed values among their inputs, and what is packed.

    Args:
        nodes: the nodes of a run.
        constants: the numbers of the values that are there before it.
        first: the first number that no value has.
    """
    found: list[Packing] = []
    changed: list[Node] = []
    for node in nodes:
        operator, inputs = node.operator, list(node.inputs)
        for position, others in _preparable(operator):
            used = [k for k in (position, *others) if k < len(node.inputs)]
            if position < len(inputs) and all(
                node.inputs[k] in constants or (k != position and node.inputs[k] == ABSENT)
                for k in used
            ):
                inputs[position] = first + len(found)
                found.append(Packing(node, position, inputs[position]))
        same = tuple(inputs) == node.inputs
        changed.append(node if same else replace(node, inputs=tuple(inputs)))
    return changed, found


def _preparable(operator: Any) -> list[tuple[int, tuple[int, ...]]]:
    return list(operator.preparable.items()) if isinstance(operator, Operator) else []


def pack(
    values: list[Any], packings: Sequence[Packing], packs: Packs, choice: tuple[str, int]
) -> None:
    """Set the packed values; each is the constant itself where nothing is gained by packing it.

    The constant stays beside its packed form: calls with few rows and some convolutions read it as
    it is, and so do other backends and instruction sets.
    """
    for node, position, number in packings:
        assert isinstance(node.operator, Operator)
        needed = {position, *node.operator.preparable[position]}
        inputs = [values[n] if k in needed else None for k, n in enumerate(node.inputs)]
        key = (node.domain, node.label, _hashable(node), position, choice, *map(id, inputs))
        _, packed = packs.get(key, (None, None))
        if packed is None:
            try:
                packed = node.operator.pack(inputs, node.attributes, position)
            except (OpError, BackendError):  # which a run reports, if it comes to the node
                packed = None
            if packed is not None:
                packs[key] = ((node, inputs), packed)  # which keeps their ids from other objects
        values[number] = values[node.inputs[position]] if packed is None else packed


def _hashable(node: Node) -> Any:
    """The attributes of a node; the node itself where they have no hash."""
    try:
        return frozenset(node.attributes.items())
    except TypeError:
        return id(node)
