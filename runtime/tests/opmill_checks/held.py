"""The checker of examples with sequences and optionals, which NumPy computes.

Where a sequence is given for an input that can be nothing else, the rule sees it, and ``infer``
tells what comes of it. Of other inputs the rule sees tensors alone.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from opmill_checks.case import Example
from opmill_checks.compare import EXACT, Accuracy, assert_matches
from opmill_checks.interface import (
    Operator,
    Oracle,
    arguments,
    array_of,
    label,
    parameter_at,
    positional,
    requested,
)
from opmill_checks.judge import assert_unchanged, call, during, refusal, watch
from opmill_checks.parameters import ask
from opmill_checks.value import Held, Value, dtype_of
from opmill_checks.watch import Watched, WatchedList


def check_held(operator: Operator, example: Example, oracle: Oracle | None) -> None:
    """The example's outputs come out, the oracle's are the same.

    They are in memory of their own; where rules see sequences, a result may also have the arrays
    that are given. ``out`` is for tensors, and says so; so does ``infer`` where the rule does not
    see what is given.
    """
    schema = operator.schema
    values = positional(schema.inputs, example.inputs)
    expected = positional(schema.outputs, example.outputs)
    count = requested(schema.outputs, expected)
    watched = watch([array_of(value) for value in values])
    seen = sees_all(operator, values, expected)
    check_results(operator, example, expected, watched, count, shares=seen)
    if oracle is not None:
        given = {formal.name: example.inputs.get(formal.name) for formal in schema.inputs}
        found = ask(oracle, given, dict(example.attributes), count)
        for wanted, formal in zip(expected, schema.outputs, strict=False):
            with during("the oracle against the table"):
                untyped = Held(wanted.items) if isinstance(wanted, Held) else wanted
                judge_value(formal.name, untyped, array_of(found[formal.name]))
    arrays = [None if one is None else one.array for one in watched]
    attributes = arguments(example.attributes)
    if seen:
        with during("in infer"):
            inferred = operator.infer(arrays, attributes, count)
            for wanted, one in zip(expected, inferred, strict=True):
                judge_inferred(wanted, one)
    else:
        value, name = first_held(operator, values, expected)
        with during("in infer"), refusal("OpError", infer_words(operator, value, name)):
            operator.infer(arrays, attributes)
    assert_unchanged(operator, watched)


def sees_all(operator: Operator, values: list[Any], expected: list[Any]) -> bool:
    """Return whether sequences are given, and returned, only where nothing else can be."""
    schema = operator.schema

    def is_sequence(formal: Any) -> bool:
        types = schema.type_constraints.get(formal.type, (formal.type,))
        return all(type.startswith("seq(") for type in types)

    return all(
        is_sequence(parameter_at(formals, position))
        for formals, given in ((schema.inputs, values), (schema.outputs, expected))
        for position, value in enumerate(given)
        if isinstance(value, Held)
    )


def judge_inferred(wanted: Any, found: Any) -> None:
    """The type and shape of a tensor, or those of each tensor of a sequence."""
    if isinstance(wanted, Held):
        if not isinstance(found, list) or len(found) != len(wanted.items or ()):
            raise AssertionError(f"expected a list of {len(wanted.items or ())}, got {found!r}")
        for one, other in zip(wanted.items or (), found, strict=True):
            judge_inferred(one, other)
    elif (found.type, tuple(found.shape)) != (wanted.type, wanted.shape):
        raise AssertionError(f"expected {wanted.type} {list(wanted.shape)}, got {found!r}")


def check_results(
    operator: Operator,
    example: Example,
    expected: list[Any],
    watched: list[Any],
    count: int | None,
    *,
    shares: bool,
) -> None:
    """The results of a call are as expected; with ``out=`` only tensors are.

    Args:
        operator: whose call it is.
        example: the call.
        expected: its results.
        watched: its inputs.
        count: how many outputs it asks for.
        shares: whether the arrays of a sequence may be those that are given.
    """
    results = call(operator, watched, example.attributes, count)
    if not isinstance(results, tuple) or len(results) != len(expected):
        raise AssertionError(f"expected a tuple of {len(expected)} results, got {results!r}")
    memories = [one.memory for one in parts_of(watched)]
    for position, (wanted, result) in enumerate(zip(expected, results, strict=True)):
        name = parameter_at(operator.schema.outputs, position).name
        judge_value(name, wanted, result)
        own = [] if not isinstance(result, list) or not shares else parts_of(watched)
        for array in result if isinstance(result, list) else [] if result is None else [result]:
            if any(array is part.array for part in own):
                continue
            if any(np.may_share_memory(array, memory) for memory in memories):
                raise AssertionError(f"{name}: shares memory with an input")
    if shares and not any(isinstance(one, Held) for one in expected):
        with during("with out="):
            buffers = [np.empty(one.shape, dtype_of(one.type)) for one in expected]
            for one, buffer, result in zip(
                expected, buffers, call(operator, watched, example.attributes, count, buffers),
                strict=True,
            ):  # fmt: skip
                assert_matches(one, result, what="out")
                if result is not buffer:
                    raise AssertionError("a result is not the buffer that was given")
        return
    if shares:
        name, word = parameter_at(operator.schema.outputs, 0).name, "a sequence"
    else:
        values = positional(operator.schema.inputs, example.inputs)
        value, name = first_held(operator, values, expected)
        word = value.word
    words = f"{label(operator)}: out is given, expected none where {name} is {word}"
    with during("with out="), refusal("OpError", words):
        call(operator, watched, example.attributes, count, [np.empty(0, np.float32)])


def judge_value(name: str, wanted: Any, found: Any, accuracy: Accuracy = EXACT) -> None:
    """A tensor, a list of them, or nothing is what is expected."""
    if isinstance(wanted, Value):
        assert_matches(wanted, found, accuracy.get(wanted.type), what=name)
    elif wanted.items is None:
        if found is not None:
            raise AssertionError(f"{name}: expected None, got {found!r}")
    elif not isinstance(found, list) or len(found) != len(wanted.items):
        raise AssertionError(f"{name}: expected a list of {len(wanted.items)}, got {found!r}")
    else:
        if wanted.type is not None and getattr(found, "dtype", None) != dtype_of(wanted.type):
            raise AssertionError(f"{name}: expected the type {wanted.type}, got {found!r}")
        for position, (one, array) in enumerate(zip(wanted.items, found, strict=True)):
            what = f"element {position} of {name}"
            assert_matches(one, array, accuracy.get(one.type), what=what)


def first_held(operator: Operator, values: list[Any], expected: list[Any]) -> tuple[Held, str]:
    """The first input or else output that is no tensor, which messages tell of, and its name."""
    schema = operator.schema
    for formals, given in ((schema.inputs, values), (schema.outputs, expected)):
        for position, value in enumerate(given):
            if isinstance(value, Held):
                return value, parameter_at(formals, position).name
    raise ValueError("nothing is a sequence or an optional")


def infer_words(operator: Operator, value: Held, name: str) -> str:
    """Return the expected message of ``infer`` for such an input."""
    return f"{label(operator)}: {name} has type {value.word}, expected a tensor for infer"


def parts_of(watched: list[Any]) -> list[Watched]:
    """Every array that goes in."""
    found: list[Watched] = []
    for one in watched:
        found += one.parts if isinstance(one, WatchedList) else [one] if one is not None else []
    return found
