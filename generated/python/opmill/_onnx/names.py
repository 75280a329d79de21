"""State of a reader of graphs: facts about the model, and the values that names refer to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from onnx import AttributeProto, FunctionProto

from opmill._model.budget import NO_LIMITS, Limits
from opmill._model.errors import ModelError
from opmill._model.graph import ABSENT
from opmill._onnx.catalog import domain_name
from opmill._onnx.outside import Folder
from opmill._onnx.wire import Block

FunctionKey = tuple[str, str, str]
"""Domain, name and overload of a function."""


@dataclass(slots=True)
class Model:
    """State that all graphs of a model share.

    Args:
        functions: the model's own functions.
        folder: where tensors are whose data are not in the model.
        fallback: what computes nodes that nothing here computes.
        limits: what a model from an unknown source may take.
        blocks: the data of large initializers of the outermost graph, by their positions.
        nodes: the number of nodes so far, those of functions at every call.
        constant_bytes: the bytes of the constants of nodes so far.
        notes: what is not as ONNX demands it, the first of each kind.
    """

    functions: Mapping[FunctionKey, FunctionProto]
    folder: Folder
    fallback: str | None
    limits: Limits = NO_LIMITS
    blocks: Mapping[int, Block] = field(default_factory=dict)
    nodes: int = 0
    notes: dict[str, str] = field(default_factory=dict)
    constant_bytes: int = 0
    overloads: dict[tuple[str, str], list[str]] = field(init=False)
    """Of each function its overloads, by domain and name."""
    sizes: dict[FunctionKey, int] = field(init=False)
    """Of each function the minimum number of nodes that a call comes to."""

    def __post_init__(self) -> None:
        self.overloads = {}
        self.sizes = _sizes(self.functions)
        for domain, name, overload in self.functions:
            self.overloads.setdefault((domain, name), []).append(overload)

    def add_node(self) -> None:
        """Count a node.

        Raises:
            ModelError: there are too many.
        """
        self.nodes += 1
        self._check_nodes(self.nodes)

    def check_call(self, key: FunctionKey) -> None:
        """Refuse a call of a function that comes to too many nodes, before they are read.

        Raises:
            ModelError: there are too many.
        """
        self._check_nodes(self.nodes + self.sizes.get(key, 0))

    def _check_nodes(self, count: int) -> None:
        if count > self.limits.max_nodes:
            raise ModelError(
                f"the model has more than {self.limits.max_nodes} nodes, those of functions "
                "counted at every call, expected at most as many (max_nodes)"
            )

    def add_constant(self, count: int, where: str) -> None:
        """Count the bytes of a constant of a node, which functions repeat.

        Raises:
            ModelError: they are too many.
        """
        self.constant_bytes += count
        self.limits.check_bytes(self.constant_bytes, where)


@dataclass(slots=True)
class Names:
    """The values that names refer to in a graph, or in the body of a function that a node calls.

    Args:
        opsets: the version of each domain.
        attributes: what the attributes of the function are; ``None`` outside of functions.
        where: for messages, follows the number of a node.
        calls: the functions that are being read, each called by the one before.
        depth: how many graphs and functions are around it.
        is_graph: whether it is a graph, which may read what the graph around it has.
        graphs: how many graphs are around it.
    """

    opsets: Mapping[str, int]
    attributes: Mapping[str, AttributeProto] | None
    where: str
    calls: tuple[FunctionKey, ...]
    depth: int
    is_graph: bool
    graphs: int = 0
    numbers: dict[str, int] = field(default_factory=lambda: {"": ABSENT})


def _sizes(functions: Mapping[FunctionKey, FunctionProto]) -> dict[FunctionKey, int]:
    """The minimum number of nodes that a call of each function comes to.

    Nodes inside of graphs are not counted, nor those of a function that calls itself. Thirty
    functions may come to a billion nodes, and thousands may be nested: each is visited twice.
    """
    calls = {
        key: [(domain_name(node.domain), node.op_type, node.overload) for node in function.node]
        for key, function in functions.items()
    }
    found: dict[FunctionKey, int] = {}
    begun: set[FunctionKey] = set()
    waiting = list(calls)
    while waiting:
        key = waiting[-1]
        if key in begun:
            waiting.pop()
            found.setdefault(key, sum(1 + found.get(call, 0) for call in calls[key]))
        else:
            begun.add(key)
            waiting += (call for call in calls[key] if call in calls and call not in begun)
    return found
