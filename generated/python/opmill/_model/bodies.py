"""What operators that run graphs have in common.

A graph is planned when the model is read. What it reads of the graph around it comes with the
inputs of its node.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from opmill._model.declared import Declared, DeclaredTensor
from opmill._model.errors import ModelError
from opmill._model.graph import Graph
from opmill._model.plan import plan
from opmill._model.steps import run_steps
from opmill._runtime.buffers import shape_text
from opmill._runtime.errors import OpError, ShapeError
from opmill._runtime.types import Array, dtype_of


class Site(NamedTuple):
    """The node of a control operator.

    Args:
        operator: ONNX's name, as ``Loop``.
        version: its version, as 13.
        place: where the node is, for messages.
        inputs: how many inputs it has, without what its graphs read from outside.
        outputs: how many outputs it has.
    """

    operator: str
    version: int
    place: str
    inputs: int
    outputs: int

    @property
    def label(self) -> str:
        """The operator version, as ``Loop-13``."""
        return f"{self.operator}-{self.version}"

    def refused(self, reason: str, kind: type[OpError] = OpError) -> OpError:
        """An error that names the node."""
        error = kind(self.label, reason)
        error.place = f"{self.place} of ai.onnx"
        return error


class Body:
    """A graph of a control operator.

    Args:
        graph: the graph.
        captured: where, among the inputs of the node, the values are that it reads from outside.
    """

    def __init__(self, graph: Graph, captured: tuple[int, ...]) -> None:
        self.graph = graph
        self._captured = captured
        self._program = plan(graph, graph.results, (*graph.numbers, *graph.captured), fold=False)

    def run(self, inputs: Sequence[Any], arguments: Sequence[Any]) -> list[Any]:
        """The outputs of the graph.

        Args:
            inputs: a value for each of its inputs.
            arguments: the inputs of the node.
        """
        values = self._program.values()
        for number, value in zip(self.graph.numbers, inputs, strict=True):
            values[number] = value
        for number, position in zip(self.graph.captured, self._captured, strict=True):
            values[number] = arguments[position]
        run_steps(values, self._program.steps)
        return self._program.outputs(values)


class Control:
    """Computes a node by running graphs; see ``Special``."""

    kernel = "subgraphs"
    domain = "ai.onnx"

    def __init__(
        self,
        site: Site,
        bodies: Mapping[str, Body],
        values: Mapping[str, Any],
    ) -> None:
        self.site = site
        self.label = site.label
        self._bodies = bodies
        self._read(values)

    def _read(self, values: Mapping[str, Any]) -> None:
        """Read the attributes, and check the graphs' numbers of inputs and outputs."""

    def results(
        self, inputs: Sequence[Any], attributes: Mapping[str, Any], out: None, outputs: int | None
    ) -> Sequence[Any]:
        """The outputs of the node."""
        raise NotImplementedError

    def subgraphs(self) -> Sequence[Graph]:
        """The graphs that it runs."""
        return [body.graph for body in self._bodies.values()]

    def _check(self, what: str, given: int, expected: int) -> None:
        if given != expected:
            raise self.site.refused(f"number of {what} is {given}, expected {expected}")

    def _truth(self, name: str, value: Any) -> bool:
        """A condition."""
        if not (isinstance(value, np.ndarray) and value.dtype == np.bool_ and value.size == 1):
            raise self.site.refused(f"{name} is {described(value)}, expected one bool")
        return bool(value.reshape(())[()])


def stacked(site: Site, declared: Declared, values: Sequence[Any], axis: int) -> Array:
    """Values of one type and shape as one array, along a new axis.

    Where there are none, the declared type tells the element type and the shape, 0 for a dim that
    is open.
    """
    if not values:
        return _empty(site, declared, axis)
    first = values[0]
    for position, value in enumerate(values):
        if not isinstance(value, np.ndarray):
            raise site.refused(f"element {position} of an output is no tensor, expected one")
        if (value.shape, value.dtype) != (first.shape, first.dtype):
            raise site.refused(
                f"element {position} of an output is {described(value)}, expected "
                f"{described(first)}, as the first",
                ShapeError,
            )
    rank = first.ndim + 1
    if not -rank <= axis < rank:
        raise site.refused(
            f"scan_output_axes has {axis}, expected {-rank} to {rank - 1}", ShapeError
        )
    return np.ascontiguousarray(np.stack(values, axis))


def _empty(site: Site, declared: Declared, axis: int) -> Array:
    type_ = declared.type
    if not isinstance(type_, DeclaredTensor) or type_.element is None:
        raise ModelError(
            f"{site.place}: {site.label}: an output has no iteration and no declared type"
        )
    shape = [dim if isinstance(dim, int) and dim >= 0 else 0 for dim in type_.dims or ()]
    rank = len(shape) + 1
    shape.insert(axis % rank if -rank <= axis < rank else 0, 0)
    return np.empty(shape, dtype_of(type_.element))


def rank_of(declared: Declared) -> int | None:
    type_ = declared.type
    return len(type_.dims) if isinstance(type_, DeclaredTensor) and type_.dims is not None else None


def described(value: Any) -> str:
    if isinstance(value, np.ndarray):
        return f"{value.dtype}{shape_text(value.shape)}"
    return "absent" if value is None else type(value).__name__
