"""Steps that the native module computes many at a time.

Between nodes of small tensors, a run would spend most of its time in Python, in the checks of each
call and in the arrays of its results. Where the shapes of what a few steps read determine all
shapes in between, the native module plans them once for these shapes, as a segment, and then
computes them by one call (see ``native/segment.h``). The kernels, and so the bits, are the same.
A segment that computes a whole model takes the inputs of a run as they are given, if they are like
those of an earlier run (see ``native/segment_entry.h``).

What cannot be planned is computed step by step: operators without a C kernel, nodes that run
graphs, shapes that depend on data, sequences. So is a run that a node refuses, since the error is
to be that of the node, and a run that a trace measures.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from opmill._model.graph import ABSENT
from opmill._model.limits import Limited
from opmill._model.steps import Step, run_steps
from opmill._model.views import passes_elements
from opmill._runtime import backend
from opmill._runtime.operator import Operator

if TYPE_CHECKING:
    from opmill._native import PlannedStep, Segment

if "c" in backend.backends():
    from opmill import _native

_MAX_SEGMENTS = 8
"""The number of choices of shapes for which steps are planned. Later ones replace the oldest, but
only where more runs have found a segment than have not."""

READING_SHAPES = frozenset({"Shape", "Size"})
"""Operators whose outputs depend on no data."""

_PASSES_ELEMENTS, _READS_SHAPES = 1, 2  # as in native/segment.h

_ELSEWHERE, _TOO_LARGE = -1, -2  # what plan_segment returns, as in native/segment.h


class Part:
    """Consecutive steps of a program.

    Args:
        steps: the steps.
        constants: the numbers of the values that are the same objects in every run with the same
            choice of a backend.
        planned: the steps as the native module takes them; empty where it does not compute them.
    """

    def __init__(
        self,
        steps: Sequence[Step],
        constants: frozenset[int],
        planned: Sequence[PlannedStep] = (),
    ) -> None:
        self._steps = tuple(steps)
        self._constants = constants
        self._planned = tuple(planned)
        self._parts: tuple[Part, ...] = ()
        self._segments: tuple[Segment, ...] = ()
        self._found = self._missed = 0
        read = {number for step in steps for number in step.node.inputs} - {ABSENT}
        computed = {number for step in steps for number in step.outputs} - {ABSENT}
        dropped = {number for step in steps for number in step.released}
        self._inputs = tuple(sorted(read - computed - constants))
        self._kept = frozenset(computed - dropped)
        self._released = tuple(number for number in self._inputs if number in dropped)

    @property
    def segments(self) -> tuple[Segment, ...]:
        """The segments, of which each computes all steps."""
        return self._segments

    def enter(
        self,
        names: tuple[str, ...],
        numbers: tuple[int, ...],
        inputs: tuple[Any, ...],
        results: tuple[int, ...],
    ) -> None:
        """Let ``call`` compute later runs like one that succeeded, if a segment computes all of it.

        Args:
            names: the names of all inputs of the run, in order.
            numbers: their numbers.
            inputs: the inputs.
            results: the numbers of the results, each of which differs.
        """
        for segment in self._segments:
            segment.enter(names, numbers, inputs, results)

    def call(self, inputs: Any) -> tuple[Any, ...] | None:
        """Compute a run from its inputs to its results in one native call.

        Types and shapes are compared with those of a run that passed all checks (see ``enter``).

        Returns:
            The results; ``None`` where the run differs, or is to raise an error.
        """
        for segment in self._segments:
            results = segment.call(inputs)
            if results is not None:
                self._found += 1
                return results
        return None

    def run(self, values: list[Any]) -> None:
        """Compute the steps; see ``run_steps``."""
        for segment in self._segments:
            done = segment.run(values)
            if done:
                self._found += 1
                return
            if done is None:  # a node refuses, or another backend is chosen
                run_steps(values, self._steps)
                return
        if self._parts:
            for part in self._parts:
                part.run(values)
        elif not self._planned or not self._plan(values):
            run_steps(values, self._steps)

    def _plan(self, values: list[Any]) -> bool:
        """Compute the steps by a new segment, if there is one for the types and shapes."""
        if not all(_is_plain(values[number]) for number in self._inputs):
            return False
        if len(self._segments) == _MAX_SEGMENTS and self._found <= self._missed:
            return False
        segment = _native.plan_segment(
            self._planned, values, self._constants, self._kept, self._released
        )
        if segment == _ELSEWHERE:
            return False
        if isinstance(segment, int):
            # Raises the error of a call that is not valid, which says nothing about other calls.
            run_steps(values, self._steps)
            self._divide(segment)
            return True
        self._missed += 1
        self._segments = (segment, *self._segments[: _MAX_SEGMENTS - 1])
        return bool(segment.run(values))

    def _divide(self, position: int) -> None:
        """Leave the step at a position out of segments; all of them where they are too large."""
        if position == _TOO_LARGE:
            self._planned = ()
            return
        steps, after = self._steps, position + 1
        self._parts = (
            *parts_of(steps[:position], self._constants),
            Part(steps[position:after], self._constants),
            *parts_of(steps[after:], self._constants),
        )


def parts_of(steps: Iterable[Step], constants: frozenset[int]) -> tuple[Part, ...]:
    """The parts of a program: steps that may be planned together, and the steps between these.

    Args:
        steps: the steps.
        constants: see ``Part``.
    """
    parts: list[Part] = []
    run: list[Step] = []
    planned: list[PlannedStep] = []

    def end() -> None:
        if run:
            parts.append(Part(run, constants, planned))
            run.clear()
            planned.clear()

    for step in steps:
        one = _planned(step)
        if run and (one is None) == bool(planned):
            end()
        run.append(step)
        if one is not None:
            planned.append(one)
    end()
    return tuple(parts)


def _planned(step: Step) -> PlannedStep | None:
    """A step as the native module takes it; ``None`` where it computes no such steps."""
    node, call, limits = step.node, step.call, None
    operator: object = node.operator
    if isinstance(operator, Limited):
        limits, operator = operator.limits, operator.operator
        call = operator.result
    elif not node.is_pure:
        return None
    if not isinstance(operator, Operator) or operator.native_kernel is None:
        return None
    bits = 0
    if operator.schema.domain == "ai.onnx" and operator.schema.name in READING_SHAPES:
        bits = _READS_SHAPES
    elif passes_elements(operator):
        bits = _PASSES_ELEMENTS
    elif call not in (operator.result, operator.results):
        return None
    attributes = dict(step.attributes)
    outputs, count = step.outputs, node.count
    return operator.native_kernel, attributes, node.inputs, outputs, count, bits, limits, []


def _is_plain(value: Any) -> bool:
    """Return whether a segment takes a value as it is."""
    return type(value) is np.ndarray and value.flags.c_contiguous and value.dtype.isnative
