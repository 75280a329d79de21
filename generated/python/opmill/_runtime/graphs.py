"""Support for kernels that run graphs: calls of a graph, conditions, stacks of results."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from opmill._runtime import messages
from opmill._runtime.buffers import shape_text
from opmill._runtime.containers import TensorSequence
from opmill._runtime.errors import ContentsError, cut, one_of
from opmill._runtime.memory import reserve
from opmill._runtime.types import Array, dtype_of, element_word

Graph = Callable[..., Sequence[Any]]
"""A function from the inputs of a graph to its outputs."""

MAX_TRIES = 2
"""The number of iterations after which to try whether the others can be computed at once: the
second one is the first whose inputs are all results of another."""

_ITERATIONS = 256
"""The number of iterations that are computed without other threads and signals in between."""

_MAX_AT_ONCE = 256 << 20
"""Bytes of outputs for which there is memory before the iterations."""


class GraphShapeError(ContentsError):
    """Error of a graph whose results have the wrong shapes; a call reports it as a ShapeError."""


class GraphTypeError(ContentsError):
    """Error of a graph result of the wrong type; a call reports a TypeConstraintError."""


def run_graph(name: str, graph: Graph, arguments: Sequence[Any]) -> list[Any]:
    """Call a graph.

    Args:
        name: the attribute.
        graph: its value.
        arguments: a value for each input of the graph.

    Returns:
        Its outputs: arrays, lists of arrays, and ``None``.

    Raises:
        ContentsError: it does not return a list or tuple of these.
    """
    results = graph(*arguments)
    if not isinstance(results, (list, tuple)):
        got = cut(type(results).__name__, 40)
        raise ContentsError(f"result of {name} has type {got}, expected a tuple or list")
    return [_output(f"output {k} of {name}", result) for k, result in enumerate(results)]


def _output(what: str, value: Any) -> Any:
    if value is None or type(value) is np.ndarray:
        return value
    if isinstance(value, (list, tuple)):
        arrays = [_array(f"{what} at position {k}", one) for k, one in enumerate(value)]
        return TensorSequence(arrays, getattr(value, "dtype", None))
    return _array(what, value)


def _array(what: str, value: Any) -> Array:
    masked = isinstance(value, np.ma.MaskedArray)
    if masked or not isinstance(value, (np.ndarray, np.generic)):
        got = cut(type(value).__name__, 40)
        raise ContentsError(f"{what} has type {got}, expected a NumPy array")
    return np.asarray(value)


def check_number(name: str, results: Sequence[Any], expected: int, *, exact: bool = True) -> None:
    """Refuse the outputs of a graph that are too few or too many.

    Args:
        name: the attribute.
        results: its outputs.
        expected: how many there must be.
        exact: whether more are refused.
    """
    if len(results) < expected or (exact and len(results) != expected):
        wanted = expected if exact else f"at least {expected}"
        raise ContentsError(f"number of outputs of {name} is {len(results)}, expected {wanted}")


def check_types(name: str, before: Sequence[Any], after: Sequence[Any], first: int = 0) -> None:
    """Refuse a value that changes its type from one run of a graph to the next.

    Args:
        name: the attribute.
        before: the values that the graph received.
        after: those that it returned in their stead.
        first: the position of the first of these among its outputs.

    Raises:
        GraphTypeError: both types are known, and differ.
    """
    for position, (one, other) in enumerate(zip(before, after, strict=True)):
        expected, found = _type_word(one), _type_word(other)
        if expected and found and expected != found:
            what = f"output {first + position} of {name}"
            raise GraphTypeError(
                f"{what} has type {found}, expected {expected} (that of its input)"
            )


def _type_word(value: Any) -> str:
    """The type of a value for messages; empty if it is absent, or a sequence of unknown type."""
    if value is None:
        return ""
    if isinstance(value, (np.ndarray, np.generic)):
        return element_word(value.dtype) or cut(str(value.dtype), 40)
    dtype = getattr(value, "dtype", None) or (value[0].dtype if value else None)
    return f"sequence of {element_word(dtype) or cut(str(dtype), 40)}" if dtype else ""


def is_true(what: str, value: Any) -> bool:
    """A condition that a graph returns.

    Raises:
        ContentsError: it is not one bool.
    """
    if not (isinstance(value, np.ndarray) and value.dtype == np.bool_ and value.size == 1):
        raise ContentsError(f"{what} is {described(value)}, expected one bool")
    return bool(value.reshape(())[()])


def described(value: Any) -> str:
    """A type and shape for messages."""
    if isinstance(value, np.ndarray):
        return f"{element_word(value.dtype) or cut(str(value.dtype), 40)}{shape_text(value.shape)}"
    return "absent" if value is None else "a sequence"


def stacked(
    what: str,
    values: Sequence[Any] | Array,
    axis: int,
    declared: Any = None,
    *,
    axis_name: str = "",
    lowest: int | None = None,
) -> Array:
    """The values that the runs of a graph return for one output, along a new axis.

    Args:
        what: the output, for messages.
        values: in order, or an array with them along its first axis.
        axis: where the new axis is in the result.
        declared: the output's type and shape, which decide where there are no values.
        axis_name: what messages call the axis.
        lowest: the lowest axis; ``None`` where negative ones count from the end.

    Raises:
        GraphShapeError: shapes or types differ, or there is no such axis.
        ContentsError: a value is no tensor, or there are none and nothing is declared.
    """
    if isinstance(values, np.ndarray):  # of iterations that were computed at once
        _check_axis(axis_name, axis, values.ndim, lowest)
        return np.ascontiguousarray(np.moveaxis(values, 0, axis))
    if not values:
        return _empty(what, axis, declared, axis_name, lowest)
    first = values[0]
    for position, value in enumerate(values):
        if not isinstance(value, np.ndarray):
            raise ContentsError(
                f"{what} of iteration {position} is {described(value)}, expected a tensor"
            )
        if (value.shape, value.dtype) != (first.shape, first.dtype):
            raise GraphShapeError(
                f"{what} of iteration {position} is {described(value)}, expected "
                f"{described(first)} (that of iteration 0)"
            )
    _check_axis(axis_name, axis, first.ndim + 1, lowest)
    reserve(sum(value.nbytes for value in values))
    return np.ascontiguousarray(np.stack(values, axis))


def _check_axis(name: str, axis: int, rank: int, lowest: int | None) -> None:
    lowest = -rank if lowest is None else lowest
    if not lowest <= axis < rank:
        raise GraphShapeError(f"{name} is {axis}, expected {lowest} to {rank - 1}")


def check_values(name: str, values: Sequence[int], expected: int) -> None:
    """Refuse a list that has not a value for each stacked output."""
    if len(values) != expected:
        given = f"{len(values)} value{'' if len(values) == 1 else 's'}"
        raise ContentsError(f"{name} has {given}, expected {expected} (the stacked outputs)")


def _empty(what: str, axis: int, declared: Any, axis_name: str, lowest: int | None) -> Array:
    element = getattr(declared, "type", None)
    if element is None:
        raise ContentsError(
            f"number of iterations is 0, expected at least 1 ({what} has no declared type)"
        )
    shape = [dim if isinstance(dim, int) and dim >= 0 else 0 for dim in declared.shape or ()]
    _check_axis(axis_name, axis, len(shape) + 1, lowest)
    shape.insert(axis % (len(shape) + 1), 0)
    return np.empty(shape, dtype_of(element))


def declared_types(graph: Graph, count: int) -> Sequence[Any]:
    """The types that a graph declares of so many outputs; ``None`` for those that it does not."""
    types: Sequence[Any] = tuple(getattr(graph, "output_types", None) or ())
    return (*types[:count], *[None] * (count - len(types)))


def type_problem(name: str, value: Any, allowed: Sequence[str]) -> str | None:
    """Why an output of this value has a type that the schema does not allow; ``None`` if it may.

    Args:
        name: the output.
        value: an array, a list of arrays, or ``None``.
        allowed: the types in ONNX's words.
    """
    if value is None:
        word = "optional"
        fits = any(type_.startswith("optional(") for type_ in allowed)
    elif isinstance(value, list):
        dtypes = {array.dtype for array in value} or {getattr(value, "dtype", None)}
        words = sorted("" if one is None else element_word(one) or str(one) for one in dtypes)
        if len(words) > 1:
            return f"{name} has tensors of types {words[0]} and {words[1]}, expected one type"
        word = f"seq(tensor({words[0]}))" if words[0] else "seq"
        seen = [type_ for type_ in allowed if "seq(" in type_]
        fits = bool(seen) if word == "seq" else any(word in type_ for type_ in seen)
    else:
        word = element_word(value.dtype) or cut(str(value.dtype), 40)
        fits = f"tensor({word})" in allowed or f"optional(tensor({word}))" in allowed
    if fits:
        return None
    listed = [type_[len("tensor(") : -1] for type_ in allowed if type_.startswith("tensor(")]
    return messages.WRONG_TYPE.format(name, word, one_of(listed or list(allowed)))


def returned(graph: Graph, minimum: int, requested: int | None) -> int:
    """Number of outputs a graph has at least, as far as that is known before it runs.

    Args:
        graph: the graph.
        minimum: those that the operator needs.
        requested: the outputs that the call requests; ``None`` for all, which are those declared.
    """
    if requested is None:
        return max(minimum, len(getattr(graph, "output_types", None) or ()))
    return max(minimum, requested)


class Repeated(NamedTuple):
    """Iterations that a graph has computed at once.

    Args:
        done: the number of all iterations so far.
        goes_on: whether the condition continues the loop.
        state: the values that are handed on.
        stacks: the other outputs of all iterations, along the first axis of an array each.
    """

    done: int
    goes_on: bool
    state: list[Any]
    stacks: list[Array]


def repeat(
    body: Graph,
    state: Sequence[Any],
    scanned: Sequence[Array],
    collected: Sequence[Sequence[Any]],
    done: int,
    limit: int | None,
    *,
    counted: bool = False,
    conditional: bool = False,
) -> Repeated | None:
    """Compute the iterations of a loop at once, where the graph has a method for that.

    The method ``iterations`` takes the state and the scanned tensors, and returns ``None`` or an
    object with the state of the loop, which has a method ``compute``; see ``opmill._model``.

    Args:
        body: the graph.
        state: the values after the iterations so far, at least one.
        scanned: the tensors whose elements the iterations are given.
        collected: the other outputs of the iterations so far.
        done: the number of these iterations.
        limit: the number of all iterations; ``None`` for any number.
        counted: whether the graph is given the number of the iteration and a condition.
        conditional: whether its first output says if the loop goes on.

    Returns:
        The iterations so far; ``None`` where there are no more than before. Where they are less
        than the loop has, the graph has to be called for the next one.
    """
    start = getattr(body, "iterations", None)
    if start is None or not all(_are_alike(values) for values in collected):
        return None
    loop = start(state, scanned, counted=counted, conditional=conditional)
    if loop is None:
        return None
    row_bytes = sum(values[0].nbytes for values in collected)
    whole = limit is not None and not conditional and limit * row_bytes <= _MAX_AT_ONCE
    capacity = limit if limit is not None and whole else done + _ITERATIONS
    stacks = [_grown(np.stack(values), capacity) for values in collected]
    before, goes_on = done, True
    while goes_on and (limit is None or done < limit):
        if done == capacity:
            capacity *= 2
            stacks = [_grown(stack, capacity) for stack in stacks]
        stop = min(done + _ITERATIONS, capacity, *([] if limit is None else [limit]))
        reached, goes_on = loop.compute(done, stop, stacks)
        done, stopped = reached, goes_on and reached < stop
        if stopped:
            break
    if done == before:
        return None
    return Repeated(done, goes_on, loop.state, [_grown(stack, done) for stack in stacks])


def _are_alike(values: Sequence[Any]) -> bool:
    """Return whether values are tensors of one type and shape."""
    first = values[0]
    return all(
        type(value) is np.ndarray and (value.shape, value.dtype) == (first.shape, first.dtype)
        for value in values
    )


def _grown(stack: Array, rows: int) -> Array:
    """An array of so many rows, which begin with those of another one; itself if it has as many."""
    if len(stack) == rows:
        return stack
    grown = np.empty((rows, *stack.shape[1:]), stack.dtype)
    copied = min(rows, len(stack))
    grown[:copied] = stack[:copied]
    return grown


def scan(
    body: Graph,
    state: Sequence[Any],
    scanned: Sequence[Array],
    length: int,
    count: int,
    *,
    exact: bool,
) -> tuple[list[Any], list[Any]]:
    """Call a graph for each element of some tensors along their first axis.

    Args:
        body: the graph.
        state: the values that are handed on.
        scanned: the tensors.
        length: how many elements to take.
        count: how many outputs the graph has, at least.
        exact: whether it has no more.

    Returns:
        The values after the last element, and for each other output those of all elements: a list,
        or an array that has them along its first axis.
    """
    state, states = list(state), len(state)
    collected: list[Any] = [[] for _ in range(count - states)]
    step = 0
    while step < length:
        elements = [values[step : step + 1].copy().reshape(values.shape[1:]) for values in scanned]
        results = run_graph("body", body, (*state, *elements))
        if step == 0:
            check_number("body", results, count, exact=exact)
            count = len(results)
            collected = [[] for _ in range(count - states)]
        check_number("body", results, count)
        check_types("body", state, results[:states])
        state = results[:states]
        for values, value in zip(collected, results[states:], strict=True):
            values.append(value)
        step += 1
        if step <= MAX_TRIES and step < length:
            found = repeat(body, state, scanned, collected, step, length)
            if found is not None:
                step, _, state, collected = found
                if step < length:
                    collected = [list(values) for values in collected]
    return state, collected
