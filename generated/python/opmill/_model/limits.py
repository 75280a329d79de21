"""Computes a Relu or a Clip together with the node in front of it, which limits as it stores.

Fused only if the result is bit-identical and the intermediate value has no other reader: the kernel
takes limits, the output is of type float32, as the constant weights of the node show, and it is no
result of the graph.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from math import inf, isnan
from typing import Any

import numpy as np

from opmill._model.graph import ABSENT, Graph, Node
from opmill._runtime.errors import OpError
from opmill._runtime.operator import Operator

_LARGEST = float(np.finfo(np.float32).max)
"""What Clip limits to where it is given no bound."""

Separate = Callable[[Sequence[Any]], Sequence[Any]]
"""Computes both nodes, one after the other, of the inputs of the first one."""


class Limited:
    """Computes a node and the one behind it that limits its elements; see ``Special``.

    Args:
        node: the node.
        behind: the node that limits.
        low: the lower limit.
        high: the upper limit.
        others: the inputs of the node behind after the first one.
        separate: computes the calls that the kernel does not take.
    """

    kernel = "joined"

    def __init__(
        self,
        node: Node,
        behind: Node,
        low: float,
        high: float,
        others: tuple[Any, ...],
        separate: Separate,
    ) -> None:
        assert isinstance(node.operator, Operator)
        self.operator = node.operator
        self.behind = behind
        self.label = node.label
        self.domain = node.domain
        self.others = others
        self.limits = (low, high)
        self._separate = separate

    def results(
        self, inputs: Sequence[Any], attributes: Mapping[str, Any], out: None, outputs: int | None
    ) -> Sequence[Any]:
        """The output of the node behind."""
        try:
            found = self.operator.limited(inputs, attributes, *self.limits)
        except OpError:  # which the node that it is of raises again
            found = None
        return self._separate(inputs) if found is None else (found,)

    def subgraphs(self) -> Sequence[Graph]:
        """None."""
        return ()


def limited_pairs(
    nodes: Sequence[Node],
    results: Sequence[int],
    constants: Mapping[int, Any],
    known: Mapping[int, Any],
) -> dict[int, tuple[int, float, float]]:
    """By the positions of nodes that can limit: the position of the node behind, and the limits.

    Args:
        nodes: the nodes of a run.
        results: the numbers of its results.
        constants: the constants that no node computes, by number: others may differ by their last
            bits from backend to backend.
        known: these and those that nodes compute.
    """
    times = Counter(number for node in nodes for number in node.inputs)
    times.update(results)
    makers = {
        node.outputs[0]: position
        for position, node in enumerate(nodes)
        if len(node.outputs) == 1 and _takes_limits(node, known)
    }
    found = {}
    for position, node in enumerate(nodes):
        maker = makers.get(node.inputs[0]) if node.inputs else None
        limits = _limits_of(node, constants)
        if maker is not None and limits is not None and times[node.inputs[0]] == 1:
            found[maker] = (position, *limits)
    return found


def with_limits(
    nodes: Sequence[Node],
    pairs: Mapping[int, tuple[int, float, float]],
    constants: Mapping[int, Any],
    separate: Callable[[Node, Node, tuple[Any, ...]], Separate],
) -> list[Node]:
    """The nodes, where one node takes the place of each pair.

    Args:
        nodes: the nodes of a run.
        pairs: the pairs, as ``limited_pairs`` finds them.
        constants: the constants that no node computes, by number.
        separate: makes what computes two nodes one after the other, with the inputs of the second
            one after its first.
    """
    behind = {position for position, _, _ in pairs.values()}
    rewritten = []
    for position, node in enumerate(nodes):
        if position in pairs:
            at, low, high = pairs[position]
            last = nodes[at]
            others = tuple(constants.get(number) for number in last.inputs[1:])
            special = Limited(node, last, low, high, others, separate(node, last, others))
            rewritten.append(replace(node, operator=special, outputs=last.outputs))
        elif position not in behind:
            rewritten.append(node)
    return rewritten


def _takes_limits(node: Node, values: Mapping[int, Any]) -> bool:
    """Return whether the output of a node is of type float32, and its kernel can limit it."""
    if not isinstance(node.operator, Operator) or not node.operator.takes_limits:
        return False
    constants = [values.get(number) for number in node.inputs if number != ABSENT]
    return any(getattr(value, "dtype", None) == np.float32 for value in constants)


def _limits_of(node: Node, values: Mapping[int, Any]) -> tuple[float, float] | None:
    """The limits of a Relu or a Clip of float32; ``None`` for other nodes and limits."""
    operator = node.operator
    if not isinstance(operator, Operator) or operator.schema.domain != "ai.onnx":
        return None
    if len(node.inputs) > len(operator.schema.inputs) or len(node.outputs) != 1:
        return None
    if operator.schema.name == "Relu":
        return 0.0, inf
    if operator.schema.name != "Clip":
        return None
    bounds = [-_LARGEST, _LARGEST]
    for position, name in enumerate(("min", "max")):
        at = position + 1
        number = node.inputs[at] if at < len(node.inputs) else ABSENT
        if number != ABSENT:
            value: Any = values.get(number)
            if getattr(value, "dtype", None) != np.float32 or value.shape not in ((), (1,)):
                return None
            bounds[position] = float(value.reshape(())[()])
        elif node.attributes.get(name) is not None:
            bounds[position] = float(np.float32(node.attributes[name]))
    return None if any(map(isnan, bounds)) else (bounds[0], bounds[1])
