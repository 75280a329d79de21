"""If, Loop and Scan: operators that run graphs.

A graph is planned when the model is read. What it reads of the graph around it comes with the
inputs of its node.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from opmill._model.bodies import Body, Control, Site, described, rank_of, stacked
from opmill._model.errors import shown
from opmill._model.graph import Graph
from opmill._model.scan import Scan, Scan8
from opmill._runtime.containers import copied
from opmill._runtime.errors import AttributeValueError


class If(Control):
    """Runs one graph or the other. Its versions differ in types alone."""

    def _read(self, values: Mapping[str, Any]) -> None:
        self._check("inputs", self.site.inputs, 1)
        for name, body in self._bodies.items():
            self._check(f"inputs of {name}", len(body.graph.inputs), 0)
            self._check(f"outputs of {name}", len(body.graph.outputs), self.site.outputs)

    def results(
        self, inputs: Sequence[Any], attributes: Mapping[str, Any], out: None, outputs: int | None
    ) -> Sequence[Any]:
        """The outputs of the chosen graph."""
        chosen = self._truth("cond", inputs[0])
        return self._bodies["then_branch" if chosen else "else_branch"].run((), inputs)


class Loop(Control):
    """Runs a graph again and again. Its versions differ in types alone."""

    def _read(self, values: Mapping[str, Any]) -> None:
        site, graph = self.site, self._bodies["body"].graph
        if site.inputs < 2:
            raise site.refused(f"number of inputs is {site.inputs}, expected at least 2")
        self._carried = site.inputs - 2
        self._check("inputs of body", len(graph.inputs), self._carried + 2)
        if len(graph.outputs) < self._carried + 1 or len(graph.outputs) - 1 < site.outputs:
            raise site.refused(
                f"number of outputs of body is {len(graph.outputs)}, expected "
                f"{max(self._carried, site.outputs) + 1}"
            )
        self._flat = [rank_of(declared) == 1 for declared in graph.inputs[:2]]

    def results(
        self, inputs: Sequence[Any], attributes: Mapping[str, Any], out: None, outputs: int | None
    ) -> Sequence[Any]:
        """The values that are carried on, and what the iterations have collected."""
        body, site = self._bodies["body"], self.site
        trips = None if inputs[0] is None else self._trips(inputs[0])
        if trips is None and inputs[1] is None:
            raise site.refused("M and cond are absent, expected one of them: the loop never ends")
        asks = inputs[1] is not None
        goes_on = self._truth("cond", inputs[1]) if asks else True
        state = list(inputs[2 : 2 + self._carried])
        collected: list[list[Any]] = [[] for _ in body.graph.outputs[1 + self._carried :]]
        count = 0
        while goes_on and (trips is None or count < trips):
            number = np.array([count] if self._flat[0] else count, np.int64)
            condition = np.array([True] if self._flat[1] else True)
            made = body.run((number, condition, *state), inputs)
            if asks:
                goes_on = self._truth("the condition that body returns", made[0])
            state = made[1 : 1 + self._carried]
            for values, value in zip(collected, made[1 + self._carried :], strict=True):
                values.append(value)
            count += 1
        if count == 0:
            state = [copied(value) for value in state]
        declared = body.graph.outputs[1 + self._carried :]
        stacks = [
            stacked(site, one, values, 0) for one, values in zip(declared, collected, strict=True)
        ]
        return [*state, *stacks][: site.outputs]

    def _trips(self, value: Any) -> int:
        if not (isinstance(value, np.ndarray) and value.dtype == np.int64 and value.size == 1):
            raise self.site.refused(f"M is {described(value)}, expected one int64")
        return int(value.reshape(())[()])


_GRAPHS: Mapping[str, tuple[str, ...]] = {
    "If": ("then_branch", "else_branch"),
    "Loop": ("body",),
    "Scan": ("body",),
}

_ATTRIBUTES: Mapping[str, tuple[str, ...]] = {
    "If": (),
    "Loop": (),
    "Scan": (
        "num_scan_inputs",
        "scan_input_axes",
        "scan_input_directions",
        "scan_output_axes",
        "scan_output_directions",
    ),
}

CONTROL = frozenset(_GRAPHS)
"""ONNX's names of the operators that are computed here, in every version."""


def control_of(
    site: Site,
    graphs: Mapping[str, Graph],
    captured: Mapping[str, tuple[int, ...]],
    values: Mapping[str, Any],
) -> Control:
    """What computes the node of a control operator.

    Args:
        site: the node.
        graphs: its attributes that are graphs.
        captured: for each of them, where among the inputs of the node the values are that it
            reads from outside.
        values: its other attributes.

    Raises:
        AttributeValueError: an attribute is missing, unknown, or not legal.
        OpError: a graph has not as many inputs and outputs as the node needs.
    """
    first = site.label == "Scan-8"
    allowed = ("num_scan_inputs", "directions") if first else _ATTRIBUTES[site.operator]
    for name in values:
        if name not in allowed:
            raise site.refused(f"attribute {shown(name)} is unknown", AttributeValueError)
        given, kind = ("INT", "INTS")[isinstance(values[name], tuple)], _kind(name)
        if given != kind:
            words = f"attribute '{name}' has kind {given}, expected {kind}"
            raise site.refused(words, AttributeValueError)
    for name in graphs:
        if name not in _GRAPHS[site.operator]:
            raise site.refused(f"attribute {shown(name)} is unknown", AttributeValueError)
    bodies: dict[str, Body] = {}
    for name in _GRAPHS[site.operator]:
        if name not in graphs:
            raise site.refused(f"attribute '{name}' is missing", AttributeValueError)
        bodies[name] = Body(graphs[name], captured[name])
    kinds: Mapping[str, Callable[..., Control]] = {"If": If, "Loop": Loop, "Scan": Scan}
    return (Scan8 if first else kinds[site.operator])(site, bodies, values)


def _kind(name: str) -> str:
    """The kind of an attribute that is no graph."""
    return "INT" if name == "num_scan_inputs" else "INTS"
