"""Support for operators that run graphs.

A graph is planned when the model is read. What it reads of the graph around it comes with the
inputs of its node.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from opmill._model.declared import Declared, DeclaredTensor
from opmill._model.graph import Graph
from opmill._model.iterations import Iterations, iterations_of
from opmill._model.plan import plan
from opmill._runtime.errors import OpError
from opmill._runtime.types import Array, TensorType


class Site(NamedTuple):
    """The node of a control operator.

    Args:
        domain: the domain of the operator.
        operator: ONNX's name, as ``Loop``.
        version: its version, as 13.
        location: where the node is, for messages.
        inputs: how many inputs it has, without what its graphs read from outside.
        outputs: how many outputs it has.
    """

    domain: str
    operator: str
    version: int
    location: str
    inputs: int
    outputs: int

    @property
    def label(self) -> str:
        """The operator version, as ``Loop-13``."""
        return f"{self.operator}-{self.version}"

    @property
    def whole(self) -> str:
        """The location with the domain."""
        return f"{self.location} of {self.domain}"

    def refused(self, reason: str, kind: type[OpError] = OpError) -> OpError:
        """An error that names the node."""
        error = kind(self.label, reason)
        error.location = self.whole
        return error

    def check(self, what: str, given: int, expected: int) -> None:
        """Refuse a number that is not the expected one."""
        if given != expected:
            raise self.refused(f"number of {what} is {given}, expected {expected}")


class Body:
    """A graph of a control operator.

    Args:
        graph: the graph.
        captured: where, among the inputs of the node, the values are that it reads from outside.
    """

    def __init__(self, graph: Graph, captured: tuple[int, ...]) -> None:
        self.graph = graph
        self.captured = captured
        self.program = plan(graph, graph.results, (*graph.numbers, *graph.captured), fold=False)
        self.output_types = tuple(map(tensor_type_of, graph.outputs))
        """What the graph declares of its outputs; see ``graph_operator``."""

    def __reduce__(self) -> tuple[Any, ...]:
        return Body, (self.graph, self.captured)

    def bound(self, arguments: Sequence[Any], flat: Sequence[int] = ()) -> BoundBody:
        """The graph as a function, which knows what it reads from outside.

        Args:
            arguments: the inputs of the node.
            flat: the inputs whose values have rank 0, and rank 1 where the graph declares that.
        """
        inputs = self.graph.inputs
        return BoundBody(self, arguments, [k for k in flat if rank_of(inputs[k]) == 1])

    def run(self, inputs: Sequence[Any], arguments: Sequence[Any]) -> list[Any]:
        """The outputs of the graph.

        Args:
            inputs: a value for each of its inputs.
            arguments: the inputs of the node.
        """
        values = self._values(arguments)
        for number, value in zip(self.graph.numbers, inputs, strict=True):
            values[number] = value
        self.program.run(values)
        return self.program.outputs(values)

    def iterations(
        self,
        inputs: Sequence[Any],
        arguments: Sequence[Any],
        state: Sequence[Any],
        scanned: Sequence[Array],
        *,
        conditional: bool,
    ) -> Iterations | None:
        """Iterations of the graph; see ``iterations_of``.

        Args:
            inputs: the values of the inputs in front of the state.
            arguments: the inputs of the node.
            state: the values that the next iteration is given.
            scanned: arrays with the elements of all iterations along the first axis.
            conditional: whether the first result says if the loop goes on.
        """
        values = self._values(arguments)
        for number, value in zip(self.graph.numbers, inputs, strict=False):
            values[number] = value
        return iterations_of(
            self.program,
            self.graph,
            values,
            state,
            scanned,
            counted=bool(inputs),
            conditional=conditional,
        )

    def _values(self, arguments: Sequence[Any]) -> list[Any]:
        """The values before the graph runs, without its inputs."""
        values = self.program.values()
        for number, position in zip(self.graph.captured, self.captured, strict=True):
            values[number] = arguments[position]
        return values


class BoundBody:
    """A graph of a node that runs, as operators take it; see ``Body.bound``."""

    def __init__(self, body: Body, arguments: Sequence[Any], flat: Sequence[int]) -> None:
        self._body = body
        self._arguments = arguments
        self._flat = flat
        self.output_types = body.output_types

    def __call__(self, *inputs: Any) -> list[Any]:
        """The outputs of the graph."""
        given = list(inputs)
        for k in self._flat:
            given[k] = given[k].reshape(1)
        return self._body.run(given, self._arguments)

    def iterations(
        self,
        state: Sequence[Any],
        scanned: Sequence[Array],
        *,
        counted: bool,
        conditional: bool,
    ) -> Iterations | None:
        """Iterations that are computed at once; see ``opmill._runtime.graphs.repeat``."""
        given = [np.array(0, np.int64), np.array(True)] if counted else []
        for k in self._flat:
            given[k] = given[k].reshape(1)
        return self._body.iterations(
            given, self._arguments, state, scanned, conditional=conditional
        )


def tensor_type_of(declared: Declared) -> TensorType | None:
    """The type and shape of a tensor; ``None`` of what is no tensor or has no declared type."""
    type_ = declared.type
    if not isinstance(type_, DeclaredTensor) or type_.element is None:
        return None
    dims = (dim if isinstance(dim, int) and dim >= 0 else None for dim in type_.dims or ())
    return TensorType(type_.element, tuple(dims))


def rank_of(declared: Declared) -> int | None:
    type_ = declared.type
    return len(type_.dims) if isinstance(type_, DeclaredTensor) and type_.dims is not None else None
