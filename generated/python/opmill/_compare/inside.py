"""Searches the graphs or the function of a node that differs for the first inner node that does.

The operator version runs the node's graphs as functions that compute node by node, each iteration
from the values that opmill has computed. A call of a function is replaced by the function's nodes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from time import monotonic
from typing import Any

from onnx import GraphProto, ModelProto, inliner

from opmill._compare.difference import Tolerance
from opmill._compare.judge import FAILED, Judge, Result
from opmill._compare.walk import Call, Walk, value_info
from opmill._model.bodies import rank_of, tensor_type_of
from opmill._onnx.declared import declared
from opmill._onnx.nodes import split_graphs
from opmill._onnx.protos import attributes_of
from opmill._runtime.graph_operator import GraphOperator
from opmill.conformance._process import Worker


@dataclass(frozen=True, slots=True)
class Inside:
    """A node in a graph or a function that differs.

    Args:
        judge: compares calls of the graph's nodes.
        call: the node with its inputs; its location names all graphs around it.
        result: how it differs.
    """

    judge: Judge
    call: Call
    result: Result


class _StopError(Exception):
    """Ends a search: a node is found, or the time is over."""


@dataclass
class Search:
    """A search for the innermost node that differs.

    Args:
        worker: the process with the other runtime.
        tolerance: the tolerance of all floating-point values; by default that of each operator.
        end: the time after which it is cut, as ``time.monotonic`` has it.
        found: the first node that differs, once there is one.
        compared: the number of nodes that were compared, in all iterations.
        is_cut: whether the time was over before all were compared.
    """

    worker: Worker
    tolerance: Tolerance | None
    end: float
    found: Inside | None = None
    compared: int = 0
    is_cut: bool = False

    def run(self, walk: Walk, call: Call) -> None:
        """Search inside of a node.

        Args:
            walk: the model of the node.
            call: the node, for which ``walk.has_nodes`` is true.

        Raises:
            Error: a node inside refuses its inputs alone.
        """
        try:
            if isinstance(call.operator, GraphOperator):
                self._graphs(walk, call, call.operator)
            else:
                self._function(walk, call)
        except _StopError:
            return

    def _graphs(self, walk: Walk, call: Call, operator: GraphOperator) -> None:
        rest, protos = split_graphs(call.node, call.location, operator)
        graphs = {name: _Graph(self, walk, call, name, proto) for name, proto in protos.items()}
        values = attributes_of(rest, call.location, operator.schema)
        inputs = [call.inputs[name] if name else None for name in call.node.input]
        operator.results(inputs, {**values, **graphs}, None, len(call.node.output))

    def _function(self, walk: Walk, call: Call) -> None:
        model = walk.model_of(call.node, call.inputs, call.constants, call.outputs)
        inner = Walk(inliner.inline_local_functions(model), walk.fallback)
        if not any(inner.is_call_of_function(node) for node in inner.message.graph.node):
            fed = {name: one for name, one in call.inputs.items() if name not in call.constants}
            self.nodes(inner, fed, f" in function '{call.label}' of {call.location}")

    def nodes(self, walk: Walk, inputs: Mapping[str, Any], where: str) -> dict[str, Any]:
        """Compare the nodes of a graph.

        Args:
            walk: the graph as a model.
            inputs: its inputs by name.
            where: the graph, for messages.

        Returns:
            Its outputs by name.
        """
        judge = Judge(walk, self.worker, self.tolerance)
        names = frozenset(walk.output_names)
        outputs = {name: one for name, one in inputs.items() if name in names}
        for plain in walk.calls(inputs):
            if monotonic() > self.end:
                self.is_cut = True
                raise _StopError
            call = replace(plain, location=f"{plain.location}{where}")
            result = judge.result(call)
            self.compared += 1
            if result.outcome in FAILED:
                self._inside_of(judge, call, result)
            outputs.update((name, one) for name, one in call.outputs.items() if name in names)
        for name in names - set(outputs):
            outputs[name] = walk.constant(name)
        return outputs

    def _inside_of(self, judge: Judge, call: Call, result: Result) -> None:
        """Search on inside of a node that differs; it is found itself if no node inside does."""
        if judge.walk.has_nodes(call):
            self.run(judge.walk, call)
            if self.found is not None or self.is_cut:
                raise _StopError
            if result.outcome == "differs":
                result = judge.result(call, loose=True)
        if result.outcome in FAILED:
            self.found = Inside(judge, call, result)
            raise _StopError


class _Graph:
    """A graph of a node as the operator calls it: a function from its inputs to its outputs."""

    def __init__(
        self, search: Search, walk: Walk, call: Call, name: str, graph: GraphProto
    ) -> None:
        self._search, self._walk, self._call = search, walk, call
        self._name, self._graph = name, graph
        self._inputs = [declared(one.name, one.type, "input") for one in graph.input]
        self._model: Walk | None = None
        self._iterations = 0
        self.output_types = tuple(
            tensor_type_of(declared(one.name, one.type, "output")) for one in graph.output
        )

    def __call__(self, *inputs: Any) -> Sequence[Any]:
        """The outputs of the graph; each node is compared."""
        given = dict(self._call.inputs)
        for one, value in zip(self._inputs, inputs, strict=True):
            # Loop counts in scalars, where the graph may declare one element.
            flat = rank_of(one) == 1 and getattr(value, "shape", None) == ()
            given[one.name] = value.reshape(1) if flat else value
        if self._model is None:
            self._model = Walk(self._as_model(given), self._walk.fallback)
        part = self._name
        if self._inputs:
            part = f"iteration {self._iterations} of {part}"
        self._iterations += 1
        needed = {one.name for one in self._model.inputs}
        found = self._search.nodes(
            self._model,
            {name: value for name, value in given.items() if name in needed},
            f" in {part} of {self._call.location}",
        )
        return [found[one.name] for one in self._graph.output]

    def _as_model(self, values: Mapping[str, Any]) -> ModelProto:
        """The graph as a model, whose inputs are also what it reads from outside."""
        graph = GraphProto()
        graph.CopyFrom(self._graph)
        del graph.input[:]
        hidden = {one.name for one in graph.initializer}
        for name, value in values.items():
            if name not in hidden:
                graph.input.append(_without_dims(value_info(name, value)))
        return self._walk.model_with(graph)


def _without_dims(info: Any) -> Any:
    """The declaration of a value of any shape, since iterations may have several."""
    if info.type.HasField("tensor_type"):
        info.type.tensor_type.ClearField("shape")
    return info
