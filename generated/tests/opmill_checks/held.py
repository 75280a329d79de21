"""The checker of examples with sequences and optionals, which NumPy computes on every backend."""

from __future__ import annotations

from typing import Any

import numpy as np

from opmill_checks.case import Example
from opmill_checks.compare import assert_matches
from opmill_checks.interface import (
    Operator,
    Oracle,
    array_of,
    label,
    parameter_at,
    positional,
    requested,
)
from opmill_checks.judge import assert_unchanged, call, during, refusal, watch
from opmill_checks.value import Held, Value
from opmill_checks.watch import Watched, WatchedList


def check_held(operator: Operator, example: Example, oracle: Oracle | None) -> None:
    """The example's outputs come out in memory of their own, the oracle's are the same.

    ``out`` and ``infer`` are for tensors, and say so.
    """
    schema = operator.schema
    values = positional(schema.inputs, example.inputs)
    expected = positional(schema.outputs, example.outputs)
    count = requested(schema.outputs, expected)
    watched = watch([array_of(value) for value in values])
    check_results(operator, example, expected, watched, count)
    if oracle is not None:
        found = oracle(dict(example.inputs), dict(example.attributes))
        for wanted, formal in zip(expected, schema.outputs, strict=False):
            with during("the oracle against the table"):
                judge_value(formal.name, wanted, array_of(found[formal.name]))
    held, name = first_held(operator, values)
    with during("in infer"), refusal("OpError", infer_words(operator, held, name)):
        operator.infer([None if one is None else one.array for one in watched], example.attributes)
    assert_unchanged(operator, watched)


def check_results(
    operator: Operator,
    example: Example,
    expected: list[Any],
    watched: list[Any],
    count: int | None,
) -> None:
    """The results of a call are as expected and new; with ``out=`` there are none."""
    results = call(operator, watched, example.attributes, count)
    if not isinstance(results, tuple) or len(results) != len(expected):
        raise AssertionError(f"expected a tuple of {len(expected)} results, got {results!r}")
    memories = [one.memory for one in parts_of(watched)]
    for position, (wanted, result) in enumerate(zip(expected, results, strict=True)):
        name = parameter_at(operator.schema.outputs, position).name
        judge_value(name, wanted, result)
        for array in result if isinstance(result, list) else []:
            if any(np.may_share_memory(array, memory) for memory in memories):
                raise AssertionError(f"{name}: shares memory with an input")
    held, name = first_held(operator, positional(operator.schema.inputs, example.inputs))
    words = f"{label(operator)}: out is given, expected none where {name} is {held.word}"
    with during("with out="), refusal("OpError", words):
        call(operator, watched, example.attributes, count, [np.empty(0, np.float32)])


def judge_value(name: str, wanted: Any, found: Any) -> None:
    """A tensor, a list of them, or nothing is what is expected, bit for bit."""
    if isinstance(wanted, Value):
        assert_matches(wanted, found, what=name)
    elif wanted.items is None:
        if found is not None:
            raise AssertionError(f"{name}: expected None, got {found!r}")
    elif type(found) is not list or len(found) != len(wanted.items):
        raise AssertionError(f"{name}: expected a list of {len(wanted.items)}, got {found!r}")
    else:
        for position, (one, array) in enumerate(zip(wanted.items, found, strict=True)):
            assert_matches(one, array, what=f"element {position} of {name}")


def first_held(operator: Operator, values: list[Any]) -> tuple[Held, str]:
    """The first input that is no tensor, which messages tell of, and its name."""
    for position, value in enumerate(values):
        if isinstance(value, Held):
            return value, parameter_at(operator.schema.inputs, position).name
    raise ValueError("no input is a sequence or an optional")


def infer_words(operator: Operator, held: Held, name: str) -> str:
    """What ``infer`` says of such an input."""
    return f"{label(operator)}: {name} has type {held.word}, expected a tensor for infer"


def parts_of(watched: list[Any]) -> list[Watched]:
    """Every array that goes in."""
    found: list[Watched] = []
    for one in watched:
        found += one.parts if isinstance(one, WatchedList) else [one] if one is not None else []
    return found
