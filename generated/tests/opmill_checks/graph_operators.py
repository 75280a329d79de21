"""The checker of operators that run graphs: nobody knows their outputs before a call."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from opmill_checks.case import Example
from opmill_checks.compare import EXACT, Accuracy
from opmill_checks.held import judge_value, parts_of
from opmill_checks.interface import (
    Operator,
    Oracle,
    arguments,
    array_of,
    label,
    positional,
    value_name,
)
from opmill_checks.judge import assert_unchanged, call, during, refusal, variants, watch
from opmill_checks.parameters import ask
from opmill_checks.value import Held


def runs_graphs(operator: Operator) -> bool:
    """Return whether an attribute of the operator is a graph."""
    kinds = [str(getattr(one, "kind", "")) for one in operator.schema.attributes]
    return "GRAPH" in kinds


@contextmanager
def infer_refusal(operator: Operator) -> Iterator[None]:
    """Demand that ``infer`` refuses a legal call."""
    words = "types of the outputs are unknown, expected a call (graphs decide them)"
    with during("in infer"), refusal("OpError", f"{label(operator)}: {words}"):
        yield


def check_graphs(
    operator: Operator, example: Example, oracle: Oracle | None, accuracy: Accuracy = EXACT
) -> None:
    """The example's outputs come out, whether counted or not, and the oracle's are the same.

    They share no memory with inputs or with each other. ``infer`` and ``out=`` are refused.
    """
    schema = operator.schema
    values = positional(schema.inputs, example.inputs)
    expected = positional(schema.outputs, example.outputs)
    inputs = [array_of(value) for value in values]
    holds_others = example.holds_others
    layouts = [("as they are", watch(inputs))] if holds_others else variants(inputs)
    for what, watched in layouts:
        for count in (None, len(expected)):
            with during(f"{what}, outputs={count}"):
                results = call(operator, watched, example.attributes, count)
                judge_all(operator, expected, results, parts_of(watched), accuracy)
                assert_unchanged(operator, watched)
    if oracle is not None:
        given = {formal.name: example.inputs.get(formal.name) for formal in schema.inputs}
        found = ask(oracle, given, dict(example.attributes), len(expected))
        with during("the oracle against the table"):
            theirs = positional(schema.outputs, found)
            judge_all(operator, expected, tuple(map(array_of, theirs)), [], accuracy)
    watched = watch(inputs)
    arrays = [None if one is None else one.array for one in watched]
    with infer_refusal(operator):
        operator.infer(arrays, arguments(example.attributes))
    words = f"{label(operator)}: out is given, expected none (graphs make the outputs)"
    with during("with out="), refusal("OpError", words):
        buffers = [np.empty(0, np.float32) for _ in expected]
        call(operator, watched, example.attributes, len(expected), buffers)


def judge_all(
    operator: Operator,
    expected: list[Any],
    results: object,
    inputs: list[Any],
    accuracy: Accuracy = EXACT,
) -> None:
    """The outputs are as expected, in memory of their own."""
    if not isinstance(results, tuple) or len(results) != len(expected):
        raise AssertionError(f"expected a tuple of {len(expected)} results, got {results!r}")
    taken = [one.memory for one in inputs]
    for position, (wanted, result) in enumerate(zip(expected, results, strict=True)):
        name = value_name(operator.schema.outputs, position)
        untyped = Held(wanted.items) if isinstance(wanted, Held) else wanted
        judge_value(name, untyped, result, accuracy)
        arrays = result if isinstance(result, list) else [] if result is None else [result]
        for array in arrays:
            if not (array.flags.c_contiguous and array.flags.writeable):
                raise AssertionError(f"{name}: not a contiguous and writable array")
            if any(np.may_share_memory(array, memory) for memory in taken):
                raise AssertionError(f"{name}: shares memory with an input or another output")
            taken.append(array)
