"""Iterations of a loop that the native module computes many at a time; see ``segments``.

The graph of the loop must be one segment whose results have the shapes of the inputs that they
become. Where it is not, no iterations are computed here, and the loop calls the graph for each.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from opmill._model.graph import Graph
from opmill._model.plan import Program
from opmill._model.segments import Part
from opmill._model.steps import is_watched
from opmill._runtime.types import Array


class Iterations:
    """Iterations of a graph, each of which continues from the state after the one before.

    Args:
        part: all steps of the graph.
        values: by number, with all that the graph reads but for the elements.
        counter: the number of the input that counts iterations; 0 where there is none.
        condition: the number of the result that says whether to go on; 0 where all do.
        state: the numbers of the inputs that are handed on.
        handed: of those that change, the numbers of the input and of the result.
        elements: for inputs that differ in each iteration, their numbers and arrays with the
            elements along the first axis.
        stacked: the numbers of the results that are collected.
    """

    def __init__(
        self,
        part: Part,
        values: list[Any],
        *,
        counter: int,
        condition: int,
        state: Sequence[int],
        handed: Sequence[tuple[int, int]],
        elements: Sequence[tuple[int, Array]],
        stacked: Sequence[int],
    ) -> None:
        self._part = part
        self._values = values
        self._counter = counter
        self._condition = condition
        self._state = tuple(state)
        self._handed = tuple(handed)
        self._elements = tuple(elements)
        self._stacked = tuple(stacked)

    def compute(self, start: int, stop: int, stacks: Sequence[Array]) -> tuple[int, bool]:
        """Compute iterations.

        Args:
            start: the first one.
            stop: the one after the last.
            stacks: for each result that is collected, an array with one for each iteration.

        Returns:
            How many iterations are computed now, and whether to go on. Less than ``stop`` where the
            next one has to be computed otherwise.
        """
        for number, array in self._elements:
            self._values[number] = array[start : start + 1].reshape(array.shape[1:])
        rows = tuple(zip(self._stacked, stacks, strict=True))
        for segment in self._part.segments:
            done, goes_on = segment.repeat(
                self._values,
                start,
                stop,
                self._counter,
                self._condition,
                self._handed,
                self._elements,
                rows,
            )
            if done > start:
                return done, goes_on
        return start, True

    @property
    def state(self) -> list[Any]:
        """The values that the last iteration hands on."""
        return [self._values[number] for number in self._state]


def iterations_of(
    program: Program,
    graph: Graph,
    values: list[Any],
    state: Sequence[Any],
    scanned: Sequence[Array],
    *,
    counted: bool,
    conditional: bool,
) -> Iterations | None:
    """The iterations of a graph; ``None`` where they cannot be computed here.

    Args:
        program: the steps of the graph.
        graph: the graph: its inputs are those of Loop if it is ``counted``, else those of Scan.
        values: by number, with what the graph reads from outside and the inputs in front of the
            state.
        state: the values that the next iteration is given.
        scanned: arrays with the elements of all iterations along the first axis.
        counted: whether the inputs begin with the number of the iteration and a condition.
        conditional: whether the first result says if the loop goes on.
    """
    parts = program.chosen_parts()
    if is_watched() or len(parts) != 1 or not parts[0].segments:
        return None
    if not all(type(value) is np.ndarray for value in state):
        return None
    numbers = graph.numbers[2 if counted else 0 :]
    results = program.results[1 if counted else 0 :]
    handed = []
    for number, result, value in zip(numbers, results, state, strict=False):
        values[number] = value
        if number != result:
            handed.append((number, result))
    condition = program.results[0] if conditional else 0
    return Iterations(
        parts[0],
        values,
        counter=graph.numbers[0] if counted else 0,
        condition=0 if counted and condition == graph.numbers[1] else condition,
        state=numbers[: len(state)],
        handed=handed,
        elements=tuple(zip(numbers[len(state) :], map(np.ascontiguousarray, scanned), strict=True)),
        stacked=results[len(state) :],
    )
