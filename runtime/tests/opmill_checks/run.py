"""The checkers of examples and rejects. Each raises AssertionError on a wrong answer.

``signature`` has those of types and of defaults.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, TypeVar

import numpy as np

from opmill_checks.case import Example, Reject
from opmill_checks.compare import EXACT, Accuracy, assert_matches
from opmill_checks.graph_operators import check_graphs, infer_refusal, runs_graphs
from opmill_checks.held import check_held
from opmill_checks.interface import (
    Array,
    Operator,
    Oracle,
    TypeAndShape,
    arguments,
    array_of,
    label,
    option,
    parameter_at,
    positional,
    requested,
    value_name,
)
from opmill_checks.judge import (
    Expectations,
    assert_unchanged,
    call,
    during,
    judge,
    match,
    refusal,
    variants,
    watch,
)
from opmill_checks.parameters import ask
from opmill_checks.value import Value, dtype_of, type_of
from opmill_checks.watch import Canary, Watched

Way = TypeVar("Way")


def check_example(
    operator: Operator,
    example: Example,
    oracle: Oracle | None = None,
    accuracy: Accuracy = EXACT,
    turn: int | None = None,
) -> None:
    """The example's outputs come out, however the inputs are laid out, wherever they are written.

    The table and the oracle both judge, and each other too. Inputs and attributes stay as they
    were, results share no memory with inputs, and ``infer`` tells the same types and shapes.
    Without ``turn`` every layout, buffer and overlap is tried; with it one of each, so that
    examples with successive turns try them all between them.
    Sequences and optionals have a checker of their own, ``check_held``, and so have operators that
    run graphs, ``check_graphs``.
    """
    if runs_graphs(operator):
        check_graphs(operator, example, oracle, accuracy)
        return
    if example.holds_others:
        check_held(operator, example, oracle)
        return
    schema = operator.schema
    expectations = expected_outputs(operator, example, oracle, accuracy)
    expected = next(iter(expectations.values()))
    count = requested(schema.outputs, expected)
    inputs = [array_of(value) for value in positional(schema.inputs, example.inputs)]
    plain, *others = variants(inputs)
    for what, watched in (plain, *of_turn(others, turn)):
        with during(what):
            results = call(operator, watched, example.attributes, count)
            judge(operator, results, expectations, accuracy, watched)
            given = [None if one is None else one.array for one in watched]
            inferred = operator.infer(given, arguments(example.attributes), count)
            assert_inferred(operator, inferred, expected)
            assert_unchanged(operator, watched)
    if expected and None not in expected:
        check_out(operator, example, inputs, expectations, accuracy, turn)
        check_overlap(operator, example, inputs, expectations, accuracy, turn)
    padded = [*inputs, *[None] * (len(schema.inputs) - len(inputs))]
    if len(padded) > len(inputs) and option(schema.inputs[-1]) == "optional":
        with during("with absent inputs given as None"):
            watched = watch(padded)
            results = call(operator, watched, example.attributes, count)
            judge(operator, results, expectations, accuracy, watched)
    check_infer(operator, example, inputs, expected, count, turn)


def of_turn(ways: Sequence[Way], turn: int | None) -> Sequence[Way]:
    """All ways without a turn, else the one whose turn it is."""
    return ways if turn is None or not ways else [ways[turn % len(ways)]]


def check_reject(operator: Operator, reject: Reject) -> None:
    """The operator refuses, with exactly this class of error and these words, and writes nowhere.

    So does ``infer``, given the same arrays, but for contents that the kernel alone sees.
    """
    if isinstance(reject.inputs, Mapping):
        values = positional(operator.schema.inputs, reject.inputs)
    else:
        values = list(reject.inputs)
    watched = watch([array_of(value) for value in values])
    message = f"{label(operator)}: {reject.error}"
    with during("without out="):
        with refusal(reject.raises, message):
            call(operator, watched, reject.attributes, reject.outputs)
        assert_unchanged(operator, watched)
    likely = next((v for v in values if isinstance(v, Value)), Value("float", (), (0.0,)))
    asked = reject.outputs if reject.outputs is not None else len(operator.schema.outputs)
    out = [Canary(likely.type, likely.shape, 0) for _ in range(asked)]
    given = [None if one is None else one.array for one in watched]
    if reject.by_kernel and runs_graphs(operator):
        with infer_refusal(operator):
            operator.infer(given, arguments(reject.attributes), reject.outputs)
        return
    with during("in infer"):
        if reject.by_kernel:
            inferred = operator.infer(given, arguments(reject.attributes), reject.outputs)
            out = [Canary(one.type, one.bound, 0) for one in inferred]
        else:
            with refusal(reject.raises, message):
                operator.infer(given, arguments(reject.attributes), reject.outputs)
        assert_unchanged(operator, watched)
    buffers = [canary.array for canary in out]
    with during("with out="):
        with refusal(reject.raises, message):
            call(operator, watched, reject.attributes, reject.outputs, buffers)
        assert_unchanged(operator, watched)
        for canary in out:
            canary.assert_untouched("although the call was refused")


# Expectations


def expected_outputs(
    operator: Operator, example: Example, oracle: Oracle | None, accuracy: Accuracy
) -> Expectations:
    """Return the outputs of the example and those of the oracle, which must agree."""
    formals = operator.schema.outputs
    table = positional(formals, example.outputs)
    if oracle is None:
        return {"the table": table}
    inputs = {formal.name: example.inputs.get(formal.name) for formal in operator.schema.inputs}
    found = answer(oracle, example, inputs, requested(formals, table))
    theirs = positional(formals, {name: found[name] for name in example.outputs})
    for position, (wanted, other) in enumerate(zip(table, theirs, strict=True)):
        if wanted is not None:
            name = parameter_at(formals, position).name
            with during("the oracle against the table"):
                assert_matches(wanted, other.to_array(), accuracy.get(wanted.type), what=name)
    return {"the table": table, "the oracle": theirs}


def answer(
    oracle: Oracle, example: Example, inputs: Mapping[str, Any], count: int | None
) -> Mapping[str, Any]:
    """The oracle's answer to an example, shared by all backends and versions."""
    function: Any = oracle.func if isinstance(oracle, partial) else oracle
    known = oracle.keywords if isinstance(oracle, partial) else {}
    key = (function, repr(sorted(known.items())), id(example), tuple(inputs), count)
    if key not in _ANSWERS:
        if len(_ANSWERS) >= SHARED_ANSWERS:
            _ANSWERS.clear()
        # The example is stored too: while it exists, no other one has its number.
        _ANSWERS[key] = example, ask(oracle, inputs, dict(example.attributes), count)
    return _ANSWERS[key][1]


SHARED_ANSWERS = 2048
"""The answers of oracles that are stored."""
_ANSWERS: dict[Any, tuple[Example, Mapping[str, Any]]] = {}


def described(output: Any) -> str:
    """A type and shape for a message."""
    return f"{output.type} {list(output.shape)}"


# Questions


def check_out(
    operator: Operator,
    example: Example,
    inputs: Sequence[Array | None],
    expectations: Expectations,
    accuracy: Accuracy,
    turn: int | None,
) -> None:
    """The results fill the buffers that the caller gives, contiguous or not, and nothing beside."""
    expected = next(iter(expectations.values()))
    for pattern, step in of_turn([(0, 1), (0, 2), (1, 1), (1, 2)], turn):
        with during("with strided out=" if step > 1 else "with out="):
            out = [
                Canary(wanted.type, wanted.shape, pattern, step) for wanted in expected if wanted
            ]
            watched = watch(inputs)
            buffers = [canary.array for canary in out]
            fill(operator, example, watched, buffers, expectations, accuracy)
            assert_unchanged(operator, watched)
            for canary in out:
                canary.assert_guards("although the results are right")


def check_overlap(
    operator: Operator,
    example: Example,
    inputs: Sequence[Array | None],
    expectations: Expectations,
    accuracy: Accuracy,
    turn: int | None,
) -> None:
    """The results are right even where the first one's buffer shares memory with an input."""
    first, *others = next(iter(expectations.values()))
    if first is None:
        return
    alike = [
        (source, array, shift)
        for source, array in enumerate(inputs)
        if array is not None and array.dtype == dtype_of(first.type)
        for shift in (0, 1)
    ]
    for source, array, shift in of_turn(alike, turn):
        memory = np.empty(shift + array.size + math.prod(first.shape), array.dtype)
        given = memory[shift : shift + array.size].reshape(array.shape)
        given[...] = array
        buffers = [memory[: math.prod(first.shape)].reshape(first.shape)]
        buffers += [np.empty(other.shape, dtype_of(other.type)) for other in others if other]
        watched = watch(inputs)
        watched[source] = Watched(given)
        with during(f"with out= in the memory of input {source}"):
            fill(operator, example, watched, buffers, expectations, accuracy)
            watched[source] = None
            assert_unchanged(operator, watched)


def fill(
    operator: Operator,
    example: Example,
    watched: Sequence[Watched | None],
    buffers: Sequence[Array],
    expectations: Expectations,
    accuracy: Accuracy,
) -> None:
    """A call with ``out=``: the results are the buffers themselves."""
    results = call(operator, watched, example.attributes, len(buffers), buffers)
    for result, buffer in zip(
        match(operator, results, expectations, accuracy), buffers, strict=True
    ):
        if result is not buffer:
            raise AssertionError("a result is not the buffer that was given")


def check_infer(
    operator: Operator,
    example: Example,
    inputs: Sequence[Array | None],
    expected: Sequence[Value | None],
    count: int | None,
    turn: int | None,
) -> None:
    """From types and shapes ``infer`` tells the same as from arrays, given what it asks for."""
    known = [
        None if array is None else TypeAndShape(type_of(array.dtype), array.shape)
        for array in inputs
    ]
    ways: list[tuple[str, list[Any]]] = [
        (
            f"infer without the value of input {position}",
            [*inputs[:position], known[position], *inputs[position + 1 :]],
        )
        for position, array in enumerate(inputs)
        if array is not None
    ]
    for what, given in of_turn([*ways, ("infer from types and shapes", known)], turn):
        with during(what):
            infer_from(operator, example, given, inputs, expected, count)


def infer_from(
    operator: Operator,
    example: Example,
    given: Sequence[Any],
    inputs: Sequence[Array | None],
    expected: Sequence[Value | None],
    count: int | None,
) -> None:
    """Infer, giving one value after the other as the operator asks for them."""
    given = list(given)
    while True:
        try:
            inferred = operator.infer(given, arguments(example.attributes), count)
        except ValueError as error:
            position = asked_for(operator, error, given)
            given[position] = inputs[position]
        else:
            return assert_inferred(operator, inferred, expected)


def asked_for(operator: Operator, error: Exception, given: Sequence[Any]) -> int:
    """The position of the input whose value an error asks for."""
    asked = re.fullmatch(
        rf"{re.escape(label(operator))}: value of (\w+(?:\[\d+\])?) is unknown, expected .*",
        str(error),
    )
    if asked and type(error).__name__ == "OpError":
        for position, one in enumerate(given):
            name = value_name(operator.schema.inputs, position)
            if name == asked[1] and isinstance(one, TypeAndShape):
                return position
    raise error


def fits(found: Any, shape: tuple[int, ...]) -> bool:
    """True if an inferred shape is this one; a dim that only the data knows is within its bound."""
    if len(found.shape) != len(shape):
        return False
    bound = found.bound if None in found.shape else shape
    return all(
        known == dim or (known is None and dim <= limit)
        for known, dim, limit in zip(found.shape, shape, bound, strict=True)
    )


def assert_inferred(operator: Operator, inferred: object, expected: Sequence[Value | None]) -> None:
    """Check that ``infer`` returns the type and shape of the expected outputs."""
    if not isinstance(inferred, tuple) or len(inferred) != len(expected):
        raise AssertionError(f"infer: expected a tuple of {len(expected)}, got {inferred!r}")
    for position, (wanted, found) in enumerate(zip(expected, inferred, strict=True)):
        if wanted is not None and not (found.type == wanted.type and fits(found, wanted.shape)):
            name = parameter_at(operator.schema.outputs, position).name
            got = described(found)
            raise AssertionError(f"infer: {name}: expected {described(wanted)}, got {got}")
