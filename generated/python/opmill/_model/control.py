"""Nodes of operators that run graphs.

A graph is planned when the model is read. What it reads of the graph around it comes with the
inputs of its node. The operator version computes; it receives the graphs as functions.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from opmill._model.bodies import Body, Site
from opmill._model.graph import Graph
from opmill._runtime.attributes import bind_attributes
from opmill._runtime.errors import AttributeValueError, OpError
from opmill._runtime.graph_operator import GraphOperator
from opmill._runtime.operator import Operator


class Control:
    """Computes a node by running graphs; see ``Special``.

    Args:
        site: the node.
        operator: its operator version.
        bodies: its attributes that are graphs.
        values: its other attributes.
    """

    kernel = "subgraphs"

    def __init__(
        self,
        site: Site,
        operator: Operator,
        bodies: Mapping[str, Body],
        values: Mapping[str, Any],
    ) -> None:
        self.label = operator.schema.label
        self.domain = operator.schema.domain
        self.site = site
        self._operator = operator
        self.bodies = bodies
        self.values = values
        self._flat = (0, 1) if site.operator == "Loop" else ()

    def results(
        self, inputs: Sequence[Any], attributes: Mapping[str, Any], out: None, outputs: int | None
    ) -> Sequence[Any]:
        """The outputs of the node."""
        try:
            branch = self._branch(inputs)
            if branch is not None:
                assert isinstance(self._operator, GraphOperator)
                return self._operator.owned(inputs[:1], branch.run((), inputs))
            graphs = {name: body.bound(inputs, self._flat) for name, body in self.bodies.items()}
            return self._operator.results(
                inputs[: self.site.inputs], {**self.values, **graphs}, None, self.site.outputs
            )
        except OpError as error:
            # That of a node inside of a graph names this one already.
            error.location = error.location or self.site.whole
            raise

    def _branch(self, inputs: Sequence[Any]) -> Body | None:
        """The branch of an If whose condition is valid, since all else was checked when the model
        was read; ``None`` for other conditions and operators."""
        if self.site.operator != "If" or not isinstance(self._operator, GraphOperator):
            return None
        condition = inputs[0]
        if type(condition) is not np.ndarray or condition.dtype != np.bool_ or condition.size != 1:
            return None
        return self.bodies["then_branch" if condition.item() else "else_branch"]

    def subgraphs(self) -> Sequence[Graph]:
        """The graphs that it runs."""
        return [body.graph for body in self.bodies.values()]


def control_of(
    site: Site,
    operator: Operator,
    graphs: Mapping[str, Graph],
    captured: Mapping[str, tuple[int, ...]],
    values: Mapping[str, Any],
) -> Control:
    """Return the function that computes a node that runs graphs.

    Args:
        site: the node.
        operator: its operator version.
        graphs: its attributes that are graphs.
        captured: for each of them, where among the inputs of the node the values are that it
            reads from outside.
        values: its other attributes.

    Raises:
        AttributeValueError: an attribute is missing, unknown, or not legal.
        OpError: a graph has not as many inputs and outputs as the node needs.
    """
    declared = operator.schema.attributes
    bound = bind_attributes(site.label, declared, {**dict.fromkeys(graphs, Body), **values})
    check = _CHECKS.get(site.operator)
    if check is not None:
        check(site, graphs, bound)
    bodies = {name: Body(graph, captured[name]) for name, graph in graphs.items()}
    return Control(site, operator, bodies, values)


def _check_if(site: Site, graphs: Mapping[str, Graph], values: Mapping[str, Any]) -> None:
    site.check("inputs", site.inputs, 1)
    for name, graph in graphs.items():
        site.check(f"inputs of {name}", len(graph.inputs), 0)
        site.check(f"outputs of {name}", len(graph.outputs), site.outputs)


def _check_loop(site: Site, graphs: Mapping[str, Graph], values: Mapping[str, Any]) -> None:
    graph, carried = graphs["body"], max(site.inputs - 2, 0)
    site.check("inputs of body", len(graph.inputs), carried + 2)
    min_outputs = max(carried, site.outputs) + 1
    if len(graph.outputs) < min_outputs:
        raise site.refused(
            f"number of outputs of body is {len(graph.outputs)}, expected at least {min_outputs}"
        )


def _check_scan(site: Site, graphs: Mapping[str, Graph], values: Mapping[str, Any]) -> None:
    graph, scanned = graphs["body"], values["num_scan_inputs"]
    inputs = site.inputs - (site.label == "Scan-8")  # which has the lengths in front
    if not 1 <= scanned <= inputs:
        words = f"num_scan_inputs is {scanned}, expected 1 to {inputs}"
        raise site.refused(words, AttributeValueError)
    site.check("inputs of body", len(graph.inputs), inputs)
    if len(graph.outputs) < inputs - scanned:
        raise site.refused(
            f"number of outputs of body is {len(graph.outputs)}, expected at least "
            f"{inputs - scanned}"
        )
    site.check("outputs", site.outputs, len(graph.outputs))


def _check_map(site: Site, graphs: Mapping[str, Graph], values: Mapping[str, Any]) -> None:
    site.check("inputs of body", len(graphs["body"].inputs), site.inputs)
    site.check("outputs of body", len(graphs["body"].outputs), site.outputs)


def _check_flex(site: Site, graphs: Mapping[str, Graph], values: Mapping[str, Any]) -> None:
    for name, graph in graphs.items():
        site.check(f"inputs of {name}", len(graph.inputs), 1)
        site.check(f"outputs of {name}", len(graph.outputs), 1)


_CHECKS: Mapping[str, Callable[[Site, Mapping[str, Graph], Mapping[str, Any]], None]] = {
    "FlexAttention": _check_flex,
    "If": _check_if,
    "Loop": _check_loop,
    "Scan": _check_scan,
    "SequenceMap": _check_map,
}
"""What is checked of the graphs when a model is read, by ONNX's name of the operator."""
