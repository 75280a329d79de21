"""Runs a list of steps: the loop that every node of every model passes through.

A run keeps its values in a list of its own, so that threads do not meet. The loop costs less than
a microsecond a node; what a trace measures is measured in a loop of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from operator import itemgetter
from typing import Any, NamedTuple

from opmill._model import budget
from opmill._model.errors import ModelError, locate
from opmill._model.graph import Node
from opmill._model.trace import active
from opmill._runtime.backend import BackendError
from opmill._runtime.errors import OpError
from opmill._runtime.operator import Operator


class Step(NamedTuple):
    """A node that is ready to run.

    Args:
        call: ``result`` or ``results`` of what computes the node.
        gather: takes the inputs out of the values.
        attributes: by name.
        output: the number of the only output; negative where there are several.
        outputs: the numbers of the outputs.
        wanted: how many outputs to ask for, where there are several.
        released: the numbers of the values that nothing reads afterwards.
        node: the node, for messages and traces.
    """

    call: Callable[..., Any]
    gather: Callable[[list[Any]], Sequence[Any]]
    attributes: Mapping[str, Any]
    output: int
    outputs: tuple[int, ...]
    wanted: int | None
    released: tuple[int, ...]
    node: Node


def gathering(numbers: Sequence[int]) -> Callable[[list[Any]], Sequence[Any]]:
    """A function that takes the values of these numbers out of a list.

    ``itemgetter`` does so several times faster than a comprehension; of one index it would return
    the value alone.
    """
    if len(numbers) > 1:
        return itemgetter(*numbers)
    return itemgetter(slice(numbers[0], numbers[0] + 1) if numbers else slice(0))


def run_steps(values: list[Any], steps: Sequence[Step]) -> None:
    """Compute all steps.

    Args:
        values: by number; results are put in, and taken out where nothing reads them any more.
        steps: in order.

    Raises:
        OpError: a node refuses its inputs; the text begins with the node.
        BackendError: OPMILL_BACKEND names a backend that is not available.
        ModelError: a node's result does not fit into memory, or into the budget of the context.
    """
    trace, bounds = active(), budget.active()
    if trace is not None:
        trace.run(values, steps, step_results if bounds is None else _bounded_results)
        return
    if bounds is not None:
        _run_bounded(values, steps)
        return
    step = None
    try:
        for step in steps:
            call, gather, attributes, output, outputs, wanted, released, _ = step
            if output >= 0:
                values[output] = call(gather(values), attributes, None)
            else:
                results = call(gather(values), attributes, None, wanted)
                for number, result in zip(outputs, results, strict=True):
                    values[number] = result
            for number in released:
                values[number] = None
    except (OpError, BackendError, MemoryError) as error:
        assert step is not None
        raise _located(error, step.node) from None


def step_results(step: Step, arguments: Sequence[Any]) -> Sequence[Any]:
    """The outputs of a single step; see ``run_steps``."""
    try:
        if step.output >= 0:
            return (step.call(arguments, step.attributes, None),)
        results: Sequence[Any] = step.call(arguments, step.attributes, None, step.wanted)
    except (OpError, BackendError, MemoryError) as error:
        raise _located(error, step.node) from None
    return results


def is_watched() -> bool:
    """Return whether runs are traced or bounded, for which they compute node by node."""
    return active() is not None or budget.active() is not None


def _run_bounded(values: list[Any], steps: Sequence[Step]) -> None:
    """As ``run_steps``, within the budget of the context."""
    for step in steps:
        arguments = step.gather(values)
        results = _bounded_results(step, arguments)
        for number, result in zip(step.outputs, results, strict=True):
            values[number] = result
        for number in step.released:
            values[number] = None


def _bounded_results(step: Step, arguments: Sequence[Any]) -> Sequence[Any]:
    """The outputs of a step, which count in the budget of the context."""
    operator, bounds = step.node.operator, budget.active()
    assert bounds is not None
    if isinstance(operator, Operator) and step.call in (operator.result, operator.results):
        step = step._replace(call=operator.reserved_results, output=-1)
    results = step_results(step, arguments)
    try:
        bounds.add(results, arguments)
    except MemoryError as error:
        raise _located(error, step.node) from None
    return results


def _located(error: OpError | BackendError | MemoryError, node: Node) -> Exception:
    """The error, saying of which node it is."""
    if isinstance(error, MemoryError):
        return ModelError(f"{node.location}: {node.label} does not fit into memory: {error}")
    if isinstance(node.operator, Operator) and not error.location:
        locate(error, node.location, node.operator.schema)
    return error
