"""Scan: runs a graph for each element of some inputs along an axis."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from opmill._model.bodies import Control, described, stacked
from opmill._runtime.buffers import shape_text
from opmill._runtime.containers import copied
from opmill._runtime.errors import AttributeValueError, ShapeError
from opmill._runtime.types import Array


class Scan(Control):
    """Runs a graph for each element of some inputs along an axis, from version 9 on."""

    def _read(self, values: Mapping[str, Any]) -> None:
        site, graph = self.site, self._bodies["body"].graph
        scanned = values.get("num_scan_inputs")
        if scanned is None:
            raise site.refused("attribute 'num_scan_inputs' is missing", AttributeValueError)
        if not 1 <= scanned <= site.inputs:
            raise site.refused(
                f"num_scan_inputs is {scanned}, expected 1 to {site.inputs}", AttributeValueError
            )
        self._states = site.inputs - scanned
        made = len(graph.outputs) - self._states
        self._check("inputs of body", len(graph.inputs), site.inputs)
        if made < 0:
            raise site.refused(
                f"number of outputs of body is {len(graph.outputs)}, expected at least "
                f"{self._states}"
            )
        self._check("outputs", site.outputs, len(graph.outputs))
        self._in_axes = self._list(values, "scan_input_axes", scanned)
        self._in_reversed = self._directions(values, "scan_input_directions", scanned)
        self._out_axes = self._list(values, "scan_output_axes", made)
        self._out_reversed = self._directions(values, "scan_output_directions", made)

    def _list(self, values: Mapping[str, Any], name: str, count: int) -> tuple[int, ...]:
        given: tuple[int, ...] = values.get(name, (0,) * count)
        if len(given) != count:
            raise self.site.refused(
                f"{name} has {len(given)} values, expected {count}", AttributeValueError
            )
        return given

    def _directions(self, values: Mapping[str, Any], name: str, count: int) -> tuple[bool, ...]:
        given = self._list(values, name, count)
        for position, value in enumerate(given):
            if value not in (0, 1):
                raise self.site.refused(
                    f"{name}[{position}] is {value}, expected 0 or 1", AttributeValueError
                )
        return tuple(value == 1 for value in given)

    def results(
        self, inputs: Sequence[Any], attributes: Mapping[str, Any], out: None, outputs: int | None
    ) -> Sequence[Any]:
        """The values that are carried on, and what the iterations have collected."""
        site, body = self.site, self._bodies["body"]
        scanned = [
            self._along(position, value)
            for position, value in enumerate(inputs[self._states : site.inputs])
        ]
        length = self._length(scanned)
        state, collected = self._scan(list(inputs[: self._states]), scanned, length, inputs)
        stacks = []
        for position, values in enumerate(collected):
            if self._out_reversed[position]:
                values.reverse()
            declared = body.graph.outputs[self._states + position]
            stacks.append(stacked(site, declared, values, self._out_axes[position]))
        return [*state, *stacks]

    def _scan(
        self, state: list[Any], scanned: list[Array], length: int, arguments: Sequence[Any]
    ) -> tuple[list[Any], list[list[Any]]]:
        """The state after all iterations, and what each of them gives besides."""
        body = self._bodies["body"]
        collected: list[list[Any]] = [[] for _ in body.graph.outputs[self._states :]]
        if length == 0:
            state = [copied(value) for value in state]
        for step in range(length):
            items = [
                np.ascontiguousarray(values[length - 1 - step if backwards else step])
                for values, backwards in zip(scanned, self._in_reversed, strict=True)
            ]
            items = [item.reshape(v.shape[1:]) for item, v in zip(items, scanned, strict=True)]
            made = body.run((*state, *items), arguments)
            state = made[: self._states]
            for values, value in zip(collected, made[self._states :], strict=True):
                values.append(value)
        return state, collected

    def _along(self, position: int, value: Any) -> Array:
        """A scanned input, with the axis that is scanned in front."""
        site, axis = self.site, self._in_axes[position]
        rank = value.ndim if isinstance(value, np.ndarray) else 0
        low = -rank if site.version >= 11 else 0
        if not low <= axis < rank:
            raise site.refused(
                f"scan_input_axes[{position}] is {axis}, expected {low} to {rank - 1}", ShapeError
            )
        moved: Array = np.moveaxis(value, axis, 0)
        return moved

    def _length(self, scanned: Sequence[Array]) -> int:
        length = len(scanned[0])
        for position, values in enumerate(scanned):
            if len(values) != length:
                raise self.site.refused(
                    f"scanned input {position} has length {len(values)}, expected {length}, that "
                    "of the first",
                    ShapeError,
                )
        return length


class Scan8(Scan):
    """The first version: each sequence of a batch on its own, with lengths of their own."""

    def _read(self, values: Mapping[str, Any]) -> None:
        given = dict(values)
        if "directions" in given:
            given["scan_input_directions"] = given.pop("directions")
        self.site = self.site._replace(inputs=self.site.inputs - 1)
        super()._read(given)

    def results(
        self, inputs: Sequence[Any], attributes: Mapping[str, Any], out: None, outputs: int | None
    ) -> Sequence[Any]:
        """The values that are carried on, and what the iterations have collected."""
        site, lengths = self.site, inputs[0]
        own = inputs[1 : 1 + site.inputs]
        for position, value in enumerate(own):
            wanted = 1 if position < self._states else 2
            if (
                not isinstance(value, np.ndarray)
                or value.ndim < wanted
                or len(value) != len(own[0])
            ):
                raise site.refused(
                    f"input {position + 1} is {described(value)}, expected a tensor with a batch "
                    "axis of one length",
                    ShapeError,
                )
        batches, length = len(own[0]), own[self._states].shape[1]
        scanned = own[self._states :]
        self._length([values[0] if batches else values[:0] for values in scanned])
        counts = [length] * batches if lengths is None else self._counts(lengths, batches, length)
        states: list[list[Any]] = [[] for _ in range(self._states)]
        stacks: list[list[Any]] = [[] for _ in self._out_axes]
        for batch, count in enumerate(counts):
            state, collected = self._scan(
                [value[batch, ...].copy() for value in own[: self._states]],
                # A sequence that is scanned backwards begins at its padded end.
                [
                    values[batch][length - count :] if backwards else values[batch][:count]
                    for values, backwards in zip(scanned, self._in_reversed, strict=True)
                ],
                count,
                inputs,
            )
            for kept, value in zip(states, state, strict=True):
                kept.append(value)
            for position, (kept, values) in enumerate(zip(stacks, collected, strict=True)):
                declared = self._bodies["body"].graph.outputs[self._states + position]
                whole = stacked(site, declared, values, 0)
                padding = [(0, length - count)] + [(0, 0)] * (whole.ndim - 1)
                kept.append(np.pad(whole, padding))
        outs = self._bodies["body"].graph.outputs
        return [
            stacked(site, declared, values, 0)
            for declared, values in zip(outs, [*states, *stacks], strict=True)
        ]

    def _counts(self, lengths: Any, batches: int, length: int) -> list[int]:
        if lengths.shape != (batches,):
            raise self.site.refused(
                f"sequence_lens has shape {shape_text(lengths.shape)}, expected [{batches}]",
                ShapeError,
            )
        counts = [int(count) for count in lengths]
        for position, count in enumerate(counts):
            if not 0 <= count <= length:
                raise self.site.refused(
                    f"sequence_lens[{position}] is {count}, expected 0 to {length}", ShapeError
                )
        return counts
