"""Compilation of If, Loop and Scan to C: their graphs become statements of the function."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import prod
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from opmill._compile.network import Statement, Value
from opmill._model.bodies import Body, rank_of, tensor_type_of
from opmill._model.control import Control
from opmill._model.errors import ModelError
from opmill._model.graph import ABSENT
from opmill._model.steps import Step

if TYPE_CHECKING:
    from opmill._compile.front import Front


class _Loop(NamedTuple):
    """The parts of a Loop or Scan node that its C loop is written from.

    Args:
        body: the graph.
        trips: the number of iterations; ``None`` where it depends on data.
        maximum: the number of the value that bounds them at run time, or ``ABSENT``.
        condition: the number of the value that decides on the first iteration, or ``ABSENT``.
        conditional: whether results decide on the next ones.
        leading: the number of inputs of the graph, and of its results, in front of the state.
        state: the numbers of the initial values.
        elements: for each scanned input its number, axis and whether it is read backwards.
        stacks: for each stacked output its axis and whether it is written backwards.
    """

    body: Body
    trips: int | None
    maximum: int
    condition: int
    conditional: bool
    leading: tuple[int, int]
    state: Sequence[int]
    elements: Sequence[tuple[int, int, bool]]
    stacks: Sequence[tuple[int, bool]]


def add_control(front: Front, step: Step, control: Control, owners: Mapping[int, Value]) -> bool:
    """Add the statements of a node that runs graphs; ``False`` after adding reasons."""
    operator = control.site.operator
    if operator == "If":
        return _add_if(front, step, control, owners)
    if operator == "Loop":
        return _add_loop(front, step, _loop_of(front, step, control), owners)
    if operator == "Scan" and control.site.version >= 9:
        return _add_loop(front, step, _scan_of(front, step, control), owners)
    return front.refuse(step, "runs a graph, expected If, Loop or Scan-9 and later")


def _add_if(front: Front, step: Step, control: Control, owners: Mapping[int, Value]) -> bool:
    condition = step.node.inputs[0]
    names = ("then_branch", "else_branch")
    if condition in front.known:
        chosen = control.bodies[names[0 if bool(front.known[condition].item()) else 1]]
        scope = _scope(front, step, chosen)
        numbers = [scope[number] for number in chosen.graph.results]
        inner = {
            number: owners[outer]
            for number, outer in zip(numbers, step.outputs, strict=False)
            if outer in owners
        }
        if not _add_body(front, chosen, scope, inner):
            return False
        for number, outer in zip(numbers, step.outputs, strict=False):
            _rename(front, number, outer)
        return True
    if prod(front.values[condition].shape) != 1:
        return front.refuse(step, "has a condition of more than one element")
    opening = f"if (*(const unsigned char *){_at(condition)} != 0) {{"
    comment = f"{step.node.location}: {step.node.label}"
    front.add(Statement([opening], (condition,), comment=comment))
    targets: list[int] = []
    refused = False
    start = front.position
    for name in names:
        body = control.bodies[name]
        scope = _scope(front, step, body)
        if not _add_body(front, body, scope, {}):
            refused = True
        if refused:  # the other branch may have reasons too
            continue
        results = [scope[number] for number in body.graph.results[: len(step.outputs)]]
        values = [front.values[front.number(number)] for number in results]
        if name == "then_branch":
            for value, number in zip(values, step.outputs, strict=True):
                targets.append(front.output(number, value.type, value.shape, owners, start))
        for k, (target, value) in enumerate(zip(targets, values, strict=True)):
            wanted = front.values[target]
            if (value.type, value.shape) != (wanted.type, wanted.shape):
                text = f"computes output {k} as {wanted.text} in one branch and {value.text} in the"
                return front.refuse(step, f"{text} other, expected one type and shape")
        _copy(front, results, targets)
        front.add(Statement(["} else {" if name == "then_branch" else "}"], ()))
    front.finish_block(step, targets)
    return not refused


def _loop_of(front: Front, step: Step, control: Control) -> _Loop:
    inputs = step.node.inputs[: control.site.inputs]
    maximum, condition, *state = (*inputs, ABSENT, ABSENT)[: max(len(inputs), 2)]
    body = control.bodies["body"]
    conditional = condition != ABSENT
    trips = None
    if maximum in front.known and maximum != ABSENT:
        trips = max(int(front.known[maximum].item()), 0)
    if conditional and condition in front.known and not front.known[condition].item():
        trips, conditional = 0, False
    stacked = len(body.graph.results) - 1 - len(state)
    return _Loop(
        body, trips, maximum, condition, conditional, (2, 1), state, (), [(0, False)] * stacked
    )


def _scan_of(front: Front, step: Step, control: Control) -> _Loop:
    values, body = control.values, control.bodies["body"]
    inputs = step.node.inputs[: control.site.inputs]
    count = values["num_scan_inputs"]
    state, scanned = inputs[: len(inputs) - count], inputs[len(inputs) - count :]
    axes = values.get("scan_input_axes") or [0] * count
    backwards = values.get("scan_input_directions") or [0] * count
    stacked = len(body.graph.results) - len(state)
    output_axes = values.get("scan_output_axes") or [0] * stacked
    reversed_ = values.get("scan_output_directions") or [0] * stacked
    for name, given, expected in (
        ("scan_input_axes", axes, count),
        ("scan_input_directions", backwards, count),
        ("scan_output_axes", output_axes, stacked),
        ("scan_output_directions", reversed_, stacked),
    ):
        if len(given) != expected:
            raise ModelError(f"number of {name} is {len(given)}, expected {expected}")
    elements = []
    lengths = set()
    for number, axis, direction in zip(scanned, axes, backwards, strict=True):
        shape = front.values[front.number(number)].shape
        if not -len(shape) <= axis < len(shape):
            raise ModelError(f"a scanned input has no axis {axis}")
        elements.append((number, axis % len(shape), bool(direction)))
        lengths.add(shape[axis])
    if len(lengths) != 1:
        raise ModelError(f"scanned inputs have lengths {sorted(lengths)}, expected one")
    stacks = [(axis, bool(end)) for axis, end in zip(output_axes, reversed_, strict=True)]
    return _Loop(body, lengths.pop(), ABSENT, ABSENT, False, (0, 0), state, elements, stacks)


def _add_loop(front: Front, step: Step, loop: _Loop, owners: Mapping[int, Value]) -> bool:
    node, graph, start = step.node, loop.body.graph, front.position
    scope = _scope(front, step, loop.body)
    numbers = [scope[number] for number in graph.numbers]
    # The state is computed into the outputs, which exist whether anything reads them or not.
    initial = [front.values[front.number(number)] for number in loop.state]
    outputs = (*step.outputs, *[ABSENT] * (len(loop.state) - len(step.outputs)))
    state = [
        front.output(number, value.type, value.shape, owners, start)
        for number, value in zip(outputs, initial, strict=False)
    ]
    before = [
        _copied(number, target, value)
        for number, target, value in zip(loop.state, state, initial, strict=True)
        if value.bytes
    ]
    scanning = _Elements(front, numbers[loop.leading[0] + len(state) :], loop)
    for number, target in zip(numbers[loop.leading[0] :], state, strict=False):
        front.values[number] = front.values[target]
    id_ = front.new_number()
    counter, last, goes_on = f"t{id_}", f"n{id_}", f"go{id_}"
    inside: list[str] = []
    if loop.leading[0]:
        flat = [(1,) if rank_of(graph.inputs[k]) == 1 else () for k in (0, 1)]
        front.output(numbers[0], "int64", flat[0], {}, start)
        inside.append(f"memcpy({_at(numbers[0])}, &{counter}, sizeof {counter});")
        front.known[numbers[1]] = np.full(flat[1], True)
    before.append(f"int64_t {last} = {loop.trips if loop.trips is not None else 'INT64_MAX'};")
    if loop.trips is None and loop.maximum != ABSENT:
        before.append(f"memcpy(&{last}, {_at(loop.maximum)}, sizeof {last});")
    if loop.conditional:
        first = "1"
        if loop.condition not in front.known:
            first = f"*(const unsigned char *){_at(loop.condition)} != 0"
        before.append(f"int {goes_on} = {first};")
    test = f"{counter} < {last}" + (f" && {goes_on}" if loop.conditional else "")
    used = [*loop.state, *state, *scanning.numbers, *(n for n, _, _ in loop.elements)]
    used += [n for n in (loop.maximum, loop.condition) if n and n not in front.known]
    used += numbers[:1] if loop.leading[0] else []
    opening = f"for (int64_t {counter} = 0; {test}; {counter}++) {{"
    lines = ["{", *before, opening, *inside, *scanning.lines(counter)]
    front.add(Statement(lines, tuple(used), comment=f"{node.location}: {node.label}"))
    if not _add_body(front, loop.body, scope, {}):
        return False
    results = [scope[number] for number in graph.results]
    decides = results[0] if loop.conditional else ABSENT
    decided = _is_true(front, decides) and loop.condition in front.known
    trips = loop.trips if not loop.conditional or decided or loop.trips == 0 else None
    stacked = _add_stacks(
        front, step, loop, results[loop.leading[1] + len(state) :], trips, counter, owners, start
    )
    if stacked is None or not _same_types(front, step, results[loop.leading[1] :], state):
        return False
    if loop.conditional and not _is_true(front, decides):
        number = front.number(decides)
        line = f"{goes_on} = *(const unsigned char *){_at(number)} != 0;"
        front.add(Statement([line], (number,)))
    _copy(front, results[loop.leading[1] :][: len(state)], state)
    front.add(Statement(["}", "}"], tuple(used)))
    # What the loop reads from outside, or hands on, lives until its end.
    front.extend(start)
    front.finish_block(step, [*state, *stacked][: len(step.outputs)])
    return True


class _Elements:
    """The elements of scanned inputs, copied before each iteration."""

    def __init__(self, front: Front, numbers: Sequence[int], loop: _Loop) -> None:
        self.numbers: list[int] = []
        self._texts: list[tuple[bool, str]] = []
        for number, (array, axis, backwards) in zip(numbers, loop.elements, strict=True):
            value = front.values[front.number(array)]
            shape = value.shape[:axis] + value.shape[axis + 1 :]
            front.output(number, value.type, shape, {}, front.position)
            self.numbers.append(number)
            self._texts.append((backwards, _moved("take", number, array, value, axis)))
        self._trips = loop.trips

    def lines(self, counter: str) -> list[str]:
        """The statements that copy the elements of an iteration."""
        return [text.format(_index(counter, self._trips, end)) for end, text in self._texts if text]


def _add_stacks(
    front: Front,
    step: Step,
    loop: _Loop,
    results: Sequence[int],
    trips: int | None,
    counter: str,
    owners: Mapping[int, Value],
    start: int,
) -> list[int] | None:
    """Add the statements that collect results; the numbers of the outputs, ``None`` if refused."""
    found: list[int] = []
    declared = [tensor_type_of(one) for one in loop.body.graph.outputs]
    first = len(declared) - len(results)
    for k, (result, (axis, backwards)) in enumerate(zip(results, loop.stacks, strict=True)):
        position = len(loop.state) + k
        wanted = step.outputs[position] if position < len(step.outputs) else ABSENT
        if wanted == ABSENT:
            continue
        if trips is None:
            front.refuse(step, f"stacks output {position} in a number of iterations that depends "
                         "on data, expected a constant")  # fmt: skip
            return None
        value = front.values[front.number(result)]
        type_ = declared[first + k]
        if trips == 0 and type_ is not None:  # as a loop without iterations declares it
            value = value._replace(type=type_.type, shape=tuple(dim or 0 for dim in type_.shape))
        rank = len(value.shape) + 1
        if not -rank <= axis < rank:
            raise ModelError(f"scan_output_axes[{k}] is {axis}, expected {-rank} to {rank - 1}")
        axis %= rank
        shape = (*value.shape[:axis], trips, *value.shape[axis:])
        target = front.output(wanted, value.type, shape, owners, start)
        found.append(target)
        text = _moved("put", target, result, front.values[target], axis)
        if text:
            line = text.format(_index(counter, trips, backwards))
            front.add(Statement([line], (result, target)))
    return found


def _same_types(front: Front, step: Step, results: Sequence[int], state: Sequence[int]) -> bool:
    for k, (result, target) in enumerate(zip(results, state, strict=False)):
        value, wanted = front.values[front.number(result)], front.values[target]
        if (value.type, value.shape) != (wanted.type, wanted.shape):
            text = f"hands on value {k} as {value.text}, expected {wanted.text} (its initial type)"
            return front.refuse(step, text)
    return True


def _scope(front: Front, step: Step, body: Body) -> dict[int, int]:
    """The network's number of each value of a graph, with what the graph knows."""
    scope = {ABSENT: ABSENT}
    for number, position in zip(body.graph.captured, body.captured, strict=True):
        scope[number] = step.node.inputs[position]
    values = body.program.values()
    for number in range(1, len(values)):
        if number not in scope:
            scope[number] = front.new_number()
            if values[number] is not None:
                front.known[scope[number]] = values[number]
    return scope


def _add_body(
    front: Front, body: Body, scope: Mapping[int, int], owners: Mapping[int, Value]
) -> bool:
    """Add the calls of a graph; ``False`` where one is refused."""
    count = len(front.reasons)
    for step in body.program.joined_steps:
        inputs = tuple(scope[number] for number in step.node.inputs)
        outputs = tuple(scope[number] for number in step.outputs)
        node = replace(step.node, inputs=inputs, outputs=outputs)
        front.add_step(step._replace(node=node, outputs=outputs), set(owners), owners)
    lost = [n for n in body.graph.results if scope[n] in front.lost]
    return len(front.reasons) == count and not lost


def _rename(front: Front, number: int, outer: int) -> None:
    """Give a value another number too."""
    if outer == ABSENT:
        return
    if number in front.known:
        front.known[outer] = front.known[number]
    else:
        front.values[outer] = front.values[number]


def _is_true(front: Front, number: int) -> bool:
    return number in front.known and number != ABSENT and bool(front.known[number].item())


def _copy(front: Front, sources: Sequence[int], targets: Sequence[int]) -> None:
    """Copy values to others, which may be among the sources: all are read before any is written."""
    pairs = []
    written = {_memory(front.values[target]) for target in targets}
    for source, target in zip(sources, targets, strict=True):
        value = front.values[front.number(source)]
        if _memory(value) != _memory(front.values[target]):
            pairs.append((source, target, value))
    late = []
    for source, target, value in pairs:
        if _memory(value) in written and len(pairs) > 1:
            between = front.output(ABSENT, value.type, value.shape, {}, front.position)
            _add_copy(front, source, between, value)
            late.append((between, target, value))
        else:
            late.append((source, target, value))
    for source, target, value in late:
        _add_copy(front, source, target, value)


def _add_copy(front: Front, source: int, target: int, value: Value) -> None:
    if value.bytes:
        front.add(Statement([_copied(source, target, value)], (source, target)))


def _copied(source: int, target: int, value: Value) -> str:
    return f"memcpy({_at(target)}, {_at(source)}, {value.bytes});"


def _memory(value: Value) -> tuple[str, int]:
    return value.kind, value.slot


def _moved(function: str, target: int, source: int, whole: Value, axis: int) -> str:
    """A copy of one element along an axis, with ``{}`` for its index; nothing if it is empty."""
    if not whole.bytes:
        return ""
    length = whole.shape[axis]
    blocks = prod(whole.shape[:axis])
    size = whole.bytes // (blocks * length)
    return f"{function}({_at(target)}, {_at(source)}, {blocks}, {size}, {{}}, {length});"


def _index(counter: str, trips: int | None, backwards: bool) -> str:
    text = f"{trips} - 1 - {counter}" if backwards else counter
    return f"(size_t)({text})"


def _at(number: int) -> str:
    """The address of a value, which is known once the arena is planned."""
    return f"@{number}@"
