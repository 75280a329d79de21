"""Judges calls of single nodes: another runtime computes them, and their outputs are compared."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from opmill._compare.difference import Difference, Tolerance, difference_of, largest, tolerance_of
from opmill._compare.walk import Call, Walk
from opmill._runtime.graph_operator import GraphOperator
from opmill._runtime.operator import Operator
from opmill.conformance import _tables
from opmill.conformance._process import Answer, Worker

_LOOSE = (1e-2, 1e-2)
"""Tolerances of a whole model's outputs, where differences of all nodes meet; the second one is
a share of the largest element."""


@dataclass(frozen=True, slots=True)
class Result:
    """Comparison of a node, or of an output of the whole model.

    Args:
        node: the location of the node, or the output's name.
        operator: the operator version, as ``Relu-14``; empty of an output of the whole model.
        domain: the operator's domain.
        outcome: ``equal`` (within the tolerance), ``differs``, ``refused``, ``crashed``, ``hung``
            or ``skipped``.
        text: the difference, the other runtime's message, or why the node was skipped.
        value: the name of the output that differs.
        difference: the difference, if there is one.
    """

    node: str
    operator: str
    domain: str
    outcome: str
    text: str = ""
    value: str = ""
    difference: Difference | None = None


FAILED = ("differs", "crashed", "hung")
"""The outcomes that fail a comparison."""


@dataclass(frozen=True)
class Judge:
    """Computes calls on another runtime and compares.

    Args:
        walk: the model.
        worker: the process with the runtime.
        tolerance: the tolerance of all floating-point values, in place of the operators' own.
    """

    walk: Walk
    worker: Worker
    tolerance: Tolerance | None = None

    def ask(
        self, call: Call, inputs: Mapping[str, Any], constants: frozenset[str], outputs: Any
    ) -> Answer:
        """Compute a call, with these inputs in place of its own, on the other runtime."""
        model = self.walk.model_of(call.node, inputs, constants, outputs)
        given = [inputs[one.name] for one in model.graph.input]
        return self.worker.ask(model.SerializeToString(deterministic=True), given)

    def result(self, call: Call, *, loose: bool = False) -> Result:
        """Compare a node.

        Args:
            call: the node with its inputs.
            loose: whether floating-point values may differ as those of whole models may.
        """
        domain = "" if call.operator is None else call.operator.schema.domain
        head = (call.location, call.label, domain or call.node.domain)
        if call.is_random:
            return Result(*head, "skipped", "it draws random numbers")
        answer = self.ask(call, call.inputs, call.constants, call.outputs)
        if answer.kind != "computed":
            return Result(*head, answer.kind, answer.text)
        name, difference = self._difference(call, answer.outputs, loose=loose)
        if difference is None:
            return Result(*head, "equal")
        return Result(*head, "differs", f"{name}: {difference.text}", name, difference)

    def _difference(
        self, call: Call, got: Sequence[Any], *, loose: bool
    ) -> tuple[str, Difference | None]:
        """The first output that differs, and how."""
        if len(got) != len(call.outputs):
            return "", Difference(f"expected {len(call.outputs)} outputs, got {len(got)}")
        accuracy = accuracy_of(call.operator)
        for (name, wanted), found in zip(call.outputs.items(), got, strict=True):
            usual = loose_tolerance(wanted) if loose else tolerance_of(accuracy, wanted)
            difference = difference_of(wanted, found, self.tolerance or usual)
            if difference is not None:
                return name, difference
        return "", None


def loose_tolerance(expected: Any) -> Tolerance | None:
    """The tolerance of what many nodes compute; ``None`` if its elements must be equal."""
    if tolerance_of(None, expected) is None:
        return None
    arrays = expected if isinstance(expected, list) else [expected]
    return _LOOSE[0], _LOOSE[1] * largest(arrays)


def accuracy_of(operator: Operator | None) -> Mapping[str, Tolerance] | None:
    """The tolerances that the spec of an operator version states, by element type.

    ``None`` for what has no spec, and for operators that run graphs: the nodes of these compute.
    """
    if operator is None or isinstance(operator, GraphOperator):
        return None
    schema = operator.schema
    return _tables.accuracies().get((schema.domain, schema.name, schema.since_version))
