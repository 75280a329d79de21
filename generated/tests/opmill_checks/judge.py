"""One call of an operator, and what must be true after it whatever was asked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from opmill_checks.compare import Accuracy, assert_matches
from opmill_checks.interface import Array, Operator, arguments, parameter_at
from opmill_checks.value import STRING_KINDS, Value
from opmill_checks.watch import CONTAINERS, LAYOUTS, Watched, WatchedList, in_container

Expectations = Mapping[str, Sequence[Value | None]]
"""The expected outputs in schema order, by who expects them: the table, the oracle. Both judge."""


@contextmanager
def during(what: str) -> Iterator[None]:
    """Say in every failure, an operator's error too, what was being asked."""
    try:
        yield
    except AssertionError as error:
        raise AssertionError(f"{what}: {error}") from error
    except Exception as error:
        raise AssertionError(f"{what}: raised {type(error).__name__}: {error}") from error


@contextmanager
def refusal(raises: str, message: str) -> Iterator[None]:
    """Demand an error of exactly this class and text."""
    try:
        yield
    except Exception as error:
        family = [cls.__name__ for cls in type(error).__mro__]
        if (
            family[0] != raises
            or str(error) != message
            or not {"OpError", "ValueError"} <= set(family)
        ):
            raise AssertionError(
                f"expected {raises}: {message!r}, got {type(error).__name__}: {str(error)!r}"
            ) from error
    else:
        raise AssertionError(f"expected {raises}: {message!r}, and nothing was raised")


def watch(inputs: Sequence[Any]) -> list[Any]:
    """The inputs as they are, each in memory of its own."""
    return [_watched(given) for given in inputs]


def _watched(given: Any) -> Watched | WatchedList | None:
    if given is None:
        return None
    return WatchedList(given) if isinstance(given, list) else Watched(given.copy())


def variants(inputs: Sequence[Array | None]) -> Iterator[tuple[str, list[Watched | None]]]:
    """The same inputs in every layout, and strings in every container, where that changes any."""
    text = any(array is not None and array.dtype.kind == "O" for array in inputs)
    for container in CONTAINERS if text else ["object"]:
        contained = [None if array is None else in_container(array, container) for array in inputs]
        where = f" and strings as {container}" if text else ""
        for layout, arranged in LAYOUTS.items():
            watched = [None if array is None else arranged(array) for array in contained]
            if any(watched) or layout == "plain":
                plain = watch(contained)
                given = [one or other for one, other in zip(watched, plain, strict=True)]
                yield f"with {layout} inputs{where}", given


def call(
    operator: Operator,
    inputs: Sequence[Watched | None],
    attributes: Mapping[str, Any],
    outputs: int | None,
    out: Sequence[Any] | None = None,
) -> tuple[Any, ...]:
    """The operator's results. The attributes that it was given must be the same afterwards."""
    given = arguments(attributes)
    before = repr(given)
    results = operator(
        [None if one is None else one.array for one in inputs], given, out=out, outputs=outputs
    )
    if repr(given) != before:
        raise AssertionError(f"the attributes were {before} and are now {given!r}")
    return results


def judge(
    operator: Operator,
    results: object,
    expectations: Expectations,
    accuracy: Accuracy,
    inputs: Sequence[Watched | None],
) -> None:
    """The results are as expected, in memory of their own, and the inputs are what they were."""
    for position, result in enumerate(match(operator, results, expectations, accuracy)):
        judge_memory(operator, parameter_at(operator.schema.outputs, position), result, inputs)
    assert_unchanged(operator, inputs)


def match(
    operator: Operator, results: object, expectations: Expectations, accuracy: Accuracy
) -> tuple[Array, ...]:
    """The results, which are as expected."""
    for expected in expectations.values():
        if not isinstance(results, tuple) or len(results) != len(expected):
            raise AssertionError(f"expected a tuple of {len(expected)} results, got {results!r}")
        for position, (wanted, result) in enumerate(zip(expected, results, strict=True)):
            if wanted is not None:
                name = parameter_at(operator.schema.outputs, position).name
                assert_matches(wanted, result, accuracy.get(wanted.type), what=name)
    return tuple(results) if isinstance(results, tuple) else ()


def judge_memory(
    operator: Operator, formal: Any, result: Array, inputs: Sequence[Watched | None]
) -> None:
    """A result is contiguous, writable, apart from every input, and has strings as the input."""
    if not result.flags.c_contiguous or not result.flags.writeable:
        raise AssertionError(f"{formal.name}: not a contiguous and writable array")
    for position, one in enumerate(inputs):
        if one is None:
            continue
        source = parameter_at(operator.schema.inputs, position)
        if np.may_share_memory(result, one.memory):
            raise AssertionError(f"{formal.name}: shares memory with {source.name}")
        kinds = (result.dtype.kind, one.array.dtype.kind)
        moved = formal.type == source.type and not getattr(formal, "type_from", ())
        if moved and kinds[0] in STRING_KINDS and kinds[0] != kinds[1]:
            raise AssertionError(
                f"{formal.name}: dtype {result.dtype}, where {source.name} has {one.array.dtype}"
            )


def assert_unchanged(operator: Operator, inputs: Sequence[Watched | None]) -> None:
    """No input was written to."""
    for position, one in enumerate(inputs):
        if one is not None:
            formals = operator.schema.inputs  # none, where any input is one too many
            name = parameter_at(formals, position).name if formals else str(position)
            one.assert_unchanged(f"input {name}")
