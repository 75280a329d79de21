"""A graph as it has been read: numbered values, and what computes each node.

Functions are in the place of the nodes that call them; subgraphs are graphs of their own.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, Protocol

from opmill._model.declared import Declared
from opmill._model.errors import FeedError, shown
from opmill._runtime.operator import Operator
from opmill._runtime.types import Array

ABSENT = 0
"""The number of an optional input or output that is left out; its value is ``None``."""


class Special(Protocol):
    """Computes a node whose operator version is not one of this package's."""

    label: str
    """The operator version, as ``Loop-13``."""
    domain: str
    kernel: str
    """Where it is computed, as a trace shows it: ``subgraphs``, ``onnxruntime``."""

    def results(
        self,
        inputs: Sequence[Any],
        attributes: Mapping[str, Any],
        out: None,
        outputs: int | None,
        /,
    ) -> Sequence[Any]:
        """The outputs, as ``Operator.results`` gives them; errors name the node."""

    def subgraphs(self) -> Sequence[Graph]:
        """The graphs that it runs."""


@dataclass(frozen=True, slots=True)
class Node:
    """A call of an operator version.

    Args:
        location: where it is, for messages.
        operator: what computes it.
        inputs: the numbers of the inputs; those that subgraphs read from outside come last.
        attributes: by name.
        outputs: the number of each output that is computed; ``ABSENT`` for one without a name.
        count: how many outputs to ask for; ``None`` where they are all that there are.
    """

    location: str
    operator: Operator | Special
    inputs: tuple[int, ...]
    attributes: Mapping[str, Any]
    outputs: tuple[int, ...]
    count: int | None

    @property
    def label(self) -> str:
        """The operator version, as ``Tile-13``."""
        if isinstance(self.operator, Operator):
            return self.operator.schema.label
        return self.operator.label

    @property
    def domain(self) -> str:
        """The operator's domain."""
        if isinstance(self.operator, Operator):
            return self.operator.schema.domain
        return self.operator.domain

    @property
    def is_pure(self) -> bool:
        """True if the inputs alone decide the outputs, and computing them early costs nothing."""
        return (
            isinstance(self.operator, Operator)
            and self.operator.schema.determinism != "non_deterministic"
            and all(map(self.operator.schema.is_tensor, self.operator.schema.outputs))
        )


@dataclass(frozen=True, slots=True)
class Graph:
    """A graph: of a model, or of an attribute of a node.

    Args:
        inputs: what the graph declares of its inputs.
        numbers: the number of each input.
        captured: the numbers of values of the graph around it that it reads, in the order in which
            the node has them behind its own inputs.
        constants: initializers and constants, by their numbers. One of an input is its default.
        nodes: in an order in which they can be computed.
        outputs: what the graph declares of its outputs.
        results: the number of each output.
        size: how many numbers there are.
    """

    inputs: tuple[Declared, ...]
    numbers: tuple[int, ...]
    captured: tuple[int, ...]
    constants: Mapping[int, Array]
    nodes: tuple[Node, ...]
    outputs: tuple[Declared, ...]
    results: tuple[int, ...]
    size: int

    def __reduce__(self) -> tuple[Any, ...]:
        return _unpickled, tuple(getattr(self, field.name) for field in fields(self))


def _unpickled(*values: Any) -> Graph:
    """A graph whose constants cannot be written to, although pickling forgets that."""
    graph = Graph(*values)
    for array in graph.constants.values():
        array.flags.writeable = False
    return graph


def live_nodes(nodes: Sequence[Node], results: Sequence[int]) -> list[Node]:
    """The nodes that the results need, in order."""
    needed = set(results) - {ABSENT}
    found: list[Node] = []
    for node in reversed(nodes):
        if needed.intersection(node.outputs):
            needed.update(node.inputs)
            needed.discard(ABSENT)
            found.append(node)
    found.reverse()
    return found


def chosen_outputs(names: Sequence[str], positions: Mapping[str, int]) -> tuple[int, ...]:
    """The positions of some outputs.

    Args:
        names: their names.
        positions: the position of each output of the graph.

    Raises:
        FeedError: there is no output of such a name.
    """
    if isinstance(names, (str, bytes)) or not isinstance(names, Iterable):
        raise FeedError(f"outputs has type {type(names).__name__}, expected a list of names")
    names = list(names)
    for name in names:
        if not isinstance(name, str) or name not in positions:
            have = ", ".join(map(shown, positions))
            raise FeedError(f"the model has no output {shown(str(name))}; it has {have}")
    return tuple(positions[name] for name in names)
