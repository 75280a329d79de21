"""Constants that nodes compute: which they are, within a budget of memory, and their values.

The values belong to a graph: all plans of it share them, and the packed forms of weights.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import prod
from typing import Any

import numpy as np

from opmill._model.errors import ModelError
from opmill._model.graph import ABSENT, Node
from opmill._model.packing import Packs
from opmill._model.steps import Step, step_results
from opmill._runtime.backend import INSTRUCTION_SET, BackendError, backend_name, chosen
from opmill._runtime.errors import OpError
from opmill._runtime.operator import Operator
from opmill._runtime.types import Array, dtype_of

Choice = tuple[str, int]
"""A backend and an instruction set."""

_MIN_MEMORY, _GROWTH = 64 << 20, 4
"""Without a budget, constants take so many bytes or so many times the bytes of initializers:
weights of 8 bits become float32."""

_WORK = 16
"""Times the budget, the bytes that nodes of constants read and compute altogether; bounds the time
that planning takes."""


@dataclass(slots=True)
class Shared:
    """State that the plans of a graph share.

    Args:
        size: the first number that no value of the graph has; others differ between plans.
        memory: the maximum of bytes that constants which nodes compute take at a time.
    """

    size: int
    memory: int
    folded: dict[Choice, dict[int, Any]] = field(default_factory=dict)
    """By choice and number, the constants that nodes compute and a run reads."""
    packs: Packs = field(default_factory=dict)

    def store(self, choice: Choice, values: Mapping[int, Any]) -> None:
        """Store constants, which nobody may write to any more."""
        found = self.folded.setdefault(choice, {})
        for number, value in values.items():
            if isinstance(value, np.ndarray):
                value.flags.writeable = False
            if number < self.size:
                found.setdefault(number, value)


def current_choice() -> Choice:
    """The choice of the context.

    Raises:
        BackendError: OPMILL_BACKEND names a backend that is not available.
    """
    return backend_name(), chosen()[INSTRUCTION_SET]


def memory_of(constants: Iterable[Array], given: int | None, limit: int | None) -> int:
    """The budget of the constants that nodes compute.

    Args:
        constants: the initializers.
        given: the value that the caller requests; ``None`` for the default.
        limit: the maximum in any case; ``None`` for none.
    """
    own = {id(array): array.nbytes for array in constants}
    memory = max(_MIN_MEMORY, _GROWTH * sum(own.values())) if given is None else given
    return memory if limit is None else min(memory, limit)


class Folding:
    """Finds and computes the nodes of a run that are constants.

    Args:
        nodes: the nodes of the run, in order.
        step_of: makes a node a step of its own, which computes it.
        results: the numbers of the results of the run.
        known: the values that are constants, by number.
        memory: the maximum of bytes that constants which nodes compute take at a time.
        stored: constants that are computed already, by number.
    """

    def __init__(
        self,
        nodes: Sequence[Node],
        step_of: Callable[[Node], Step],
        results: Collection[int],
        known: Mapping[int, Any],
        memory: int,
        stored: Mapping[int, Any],
    ) -> None:
        self.known = dict(known)
        """The values that are constants, but for those that only constants read."""
        self.nodes: list[Node] = []
        """The nodes that are constants."""
        self.others: list[Node] = []
        """All others."""
        self._stored = stored
        self._memory = memory
        self._left = _WORK * memory
        self._sizes: dict[int, int] = {}
        self._readers = Counter(number for node in nodes for number in node.inputs)
        self._readers.update(results)
        self._step_of = step_of
        for node in nodes:
            (self.nodes if self._fold(node) else self.others).append(node)

    def _fold(self, node: Node) -> bool:
        """Compute a node if it is a constant within the budget."""
        if not (node.is_pure and all(number in self.known for number in node.inputs)):
            return False
        results = self._computed(node)
        if results is None:
            return False
        for number, result in zip(node.outputs, results, strict=False):
            if number != ABSENT and self._readers[number]:
                self.known[number] = result
                self._sizes[number] = getattr(result, "nbytes", 0)
                self._memory -= self._sizes[number]
        for number in node.inputs:
            self._readers[number] -= 1
            if not self._readers[number] and number in self._sizes:
                self._memory += self._sizes.pop(number)
                del self.known[number]
        return True

    def _computed(self, node: Node) -> Sequence[Any] | None:
        """The outputs of a node; ``None`` where they are too large, or where the node refuses: a
        run reports that, if it comes to this node."""
        operator = node.operator
        assert isinstance(operator, Operator)
        arguments = [self.known[number] for number in node.inputs]
        try:
            size = sum(
                prod(type_.bound or _known(type_.shape)) * dtype_of(type_.type).itemsize
                for type_ in operator.infer(arguments, node.attributes, node.count)
            )
            cost = size + sum(getattr(value, "nbytes", 0) for value in arguments)
            if size > self._memory or cost > self._left:
                return None
            self._left -= cost
            stored = [self._stored.get(number) for number in node.outputs]
            if all(value is not None for value in stored):
                return stored
            return step_results(self._step_of(node), arguments)
        except (OpError, BackendError, ModelError):
            return None


def _known(shape: tuple[int | None, ...]) -> tuple[int, ...]:
    return tuple(dim for dim in shape if dim is not None)
