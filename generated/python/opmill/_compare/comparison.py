"""A model compared node by node with another runtime, or value by value with another model."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from time import monotonic
from typing import Any

from opmill._compare.difference import Tolerance, difference_of
from opmill._compare.inside import Search
from opmill._compare.judge import FAILED, Judge, Result, loose_tolerance
from opmill._compare.walk import Call, Walk, described
from opmill._model.errors import ModelError
from opmill._runtime.documentation import Erratum
from opmill._runtime.operator import Operator
from opmill.conformance import cases
from opmill.conformance._process import Worker
from opmill.conformance._run import Outcome, result_of

_INSIDE = 120.0
"""Seconds after which no more graphs and functions of nodes that differ are searched."""

Progress = Callable[[str, Sequence[int]], Any]
"""Passes on the positions of the nodes, and may show how far a comparison is."""

@dataclass
class Comparison:
    """A finished comparison.

    Args:
        other: the other side: a runtime or a model.
        version: its version; empty of a model.
        nodes: each node that was computed, or each value that two models share.
        outputs: the outputs of the whole model.
        first: the call of the first node that differs, crashes or hangs.
        inside: what was searched in the graphs or the function of that node.
    """

    other: str
    version: str = ""
    nodes: list[Result] = field(default_factory=list)
    outputs: list[Result] = field(default_factory=list)
    first: Call | None = None
    inside: Search | None = None

    @property
    def first_result(self) -> Result | None:
        """The first node that differs, crashes or hangs."""
        return next((one for one in self.nodes if one.outcome in FAILED), None)

    @property
    def ok(self) -> bool:
        """True if no node and no output differs, crashes or hangs."""
        return not any(one.outcome in FAILED for one in (*self.nodes, *self.outputs))


def against_runtime(
    walk: Walk,
    inputs: Mapping[str, Any],
    judge: Judge,
    version: str,
    other: str,
    progress: Progress,
) -> Comparison:
    """Compare every node of a model, and its outputs, with another runtime.

    Each node is computed by both sides from the same inputs, those that opmill has computed. So a
    node that differs does so itself, whatever the nodes before it do.

    Args:
        walk: the model.
        inputs: its inputs by name.
        judge: what asks the runtime.
        version: the version of the runtime.
        other: its name.
        progress: passes on the positions of the nodes.

    Raises:
        Error: a node refuses its inputs.
    """
    found = Comparison(other, version)
    outputs: dict[str, Any] = {name: inputs[name] for name in walk.output_names if name in inputs}
    calls, end = walk.calls(inputs), monotonic() + _INSIDE
    for _ in progress("comparing", walk.order):
        call = next(calls)
        result, inside = _judged(call, judge, end)
        found.nodes.append(result)
        if found.first is None and result.outcome in FAILED:
            found.first, found.inside = call, inside
        outputs.update((n, v) for n, v in call.outputs.items() if n in walk.output_names)
    found.outputs += _whole(walk, inputs, outputs, judge)
    return found


def _judged(call: Call, judge: Judge, end: float) -> tuple[Result, Search | None]:
    """Compare a node, and search its graphs or its function if it differs.

    Where no node inside differs, the node is equal if it is as whole models are: the nodes inside
    round differently.
    """
    result = judge.result(call)
    if result.outcome not in FAILED or not judge.walk.has_nodes(call):
        return result, None
    search = Search(judge.worker, judge.tolerance, end)
    search.run(judge.walk, call)
    if result.outcome == "differs" and search.found is None and not search.is_cut:
        result = judge.result(call, loose=True)
    return result, search


def _whole(
    walk: Walk, inputs: Mapping[str, Any], outputs: Mapping[str, Any], judge: Judge
) -> Iterator[Result]:
    """The outputs of the whole model, as the runtime computes it in one run."""
    try:
        data = walk.message.SerializeToString(deterministic=True)
    except ValueError as error:  # above 2 GiB
        yield Result("the whole model", "", "", "skipped", str(error))
        return
    first = {one.name for one in walk.message.graph.initializer}
    names = [one.name for one in walk.message.graph.input]
    if any(name in first for name in names):
        yield Result("the whole model", "", "", "skipped", "it has inputs with initializers")
        return
    answer = judge.worker.ask(data, [inputs[name] for name in names])
    if answer.kind != "computed" or len(answer.outputs) != len(walk.output_names):
        yield Result("the whole model", "", "", answer.kind, answer.text)
        return
    for name, got in zip(walk.output_names, answer.outputs, strict=True):
        if name in outputs:
            yield _output(name, outputs[name], got, judge.tolerance)


def _output(name: str, expected: Any, got: Any, tolerance: Tolerance | None) -> Result:
    difference = difference_of(expected, got, tolerance or loose_tolerance(expected))
    if difference is None:
        return Result(name, "", "", "equal")
    return Result(name, "", "", "differs", difference.text, name, difference)


def against_model(
    walk: Walk,
    other: Walk,
    inputs: Mapping[str, Any],
    tolerance: Tolerance | None,
    progress: Progress,
) -> Comparison:
    """Compare the values that two models have under the same name; opmill computes both.

    The models are computed alternately, so that only values are stored whose counterpart is not
    yet computed.

    Args:
        walk: the model.
        other: the other model.
        inputs: the inputs of both by name.
        tolerance: of all floating-point values; by default that of whole models.
        progress: passes on the positions of the nodes.

    Raises:
        Error: a node refuses its inputs, or the models share no value.
    """
    shared = walk.names & other.names
    if not shared:
        raise ModelError(
            "the models have no value of the same name, expected two forms of one model"
        )
    found = Comparison("the other model")
    sides = (walk.calls(inputs), other.calls(_of(other, inputs)))
    waiting: tuple[dict[str, Any], dict[str, Any]] = ({}, {})
    calls: dict[str, Call] = {}

    def advance(side: int) -> bool:
        call = next(sides[side], None)
        if call is None:
            return False
        for name in shared.intersection(call.outputs):
            waiting[side][name] = call.outputs[name]
            if side == 0:
                calls[name] = call
        return True

    for _ in progress("comparing", walk.order):
        advance(0)
        while set(waiting[0]) - set(waiting[1]) and advance(1):
            pass
        for name in [name for name in waiting[0] if name in waiting[1]]:
            expected, got, call = waiting[0].pop(name), waiting[1].pop(name), calls.pop(name)
            one = _output(name, expected, got, tolerance)
            domain = "" if call.operator is None else call.operator.schema.domain
            text = one.text and f"{name}: {one.text}"
            found.nodes.append(
                Result(call.location, call.label, domain, one.outcome, text, name, one.difference)
            )
            if found.first is None and one.outcome in FAILED:
                found.first = call
    return found


def _of(walk: Walk, inputs: Mapping[str, Any]) -> dict[str, Any]:
    """The inputs that a model has."""
    names = {one.name for one in (*walk.inputs, *walk.defaults)}
    missing = {one.name for one in walk.inputs} - set(inputs)
    if missing:
        raise ModelError(
            f"the other model has the input '{min(missing)}', expected inputs of the same names"
        )
    return {name: value for name, value in inputs.items() if name in names}


@dataclass(frozen=True, slots=True)
class KitResult:
    """Results of the runtime for the published examples of the operator version that differs.

    Args:
        examples: the number of examples.
        wrong: the names of those that the runtime computes otherwise.
        errata: the contradictions and gaps in ONNX's text behind examples with another outcome.
    """

    examples: int
    wrong: tuple[str, ...]
    errata: tuple[Erratum, ...]


def kit_result(operator: Operator, worker: Worker) -> KitResult:
    """Compute the examples of an operator version on the other runtime."""
    schema = operator.schema
    results = [
        result_of(case, worker)
        for case in cases([schema.label], domain=schema.domain, rejects=False)
    ]
    failed = (Outcome.WRONG, Outcome.CRASHED, Outcome.HUNG)
    errata = {
        erratum.name: erratum
        for one in results
        if one.outcome is Outcome.OPEN
        for erratum in one.case.rests_on
    }
    wrong = sorted((one.case.elements, one.case.name) for one in results if one.outcome in failed)
    return KitResult(len(results), tuple(name for _, name in wrong), tuple(errata.values()))


def call_lines(call: Call) -> list[str]:
    """The inputs and attributes of a call, a line each."""
    from onnx import helper

    lines = [f"input {text}" for text in described(list(call.inputs), call.inputs)]
    for attribute in call.node.attribute:
        text = helper.printable_attribute(attribute)
        lines.append(f"attribute {text}" if len(text) < 200 else f"attribute {attribute.name}")
    return lines
