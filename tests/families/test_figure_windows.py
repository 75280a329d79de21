"""Pictures of windows: what their circles show gives the results of the kernels.

Inputs are random numbers; the windows are read from the SVG, and the results computed from them.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from figure_cells import Picture, pictured
from opmill_gen.emit.docs.figures import figure_arguments

FAMILIES = {
    "conv": "Conv",
    "conv_integer": "ConvInteger",
    "qlinear_conv": "QLinearConv",
    "max_pool": "MaxPool",
    "pool": "AveragePool LpPool GlobalLpPool",
}

Windows = list[list[tuple[int, bool]]]
"""Of each position of the output, the positions in its window, and whether they are padding."""


def windows(picture: Picture) -> dict[int, tuple[Windows, set[int]]]:
    """By axis, the windows that the circles show, and the positions that are drawn as elements."""
    found: dict[int, tuple[Windows, set[int]]] = {}
    parts = sorted(picture.parts, key=lambda part: part.y)
    for k, part in enumerate(parts):
        end = parts[k + 1].y if k + 1 < len(parts) else 10**6
        [zero] = [box for box in part.boxes if box.text == "0"]
        centre = zero.x + zero.width / 2
        rows: dict[float, list[tuple[int, bool]]] = {}
        for x, y, kind in picture.circles:
            if part.y < y < end:
                position = (x - centre) / (zero.width + 2)
                assert position == int(position)
                rows.setdefault(y, []).append((int(position), kind == "opmill-padded"))
        numbered = [rows[y] for y in sorted(rows)]
        names = [t for _, y, t, kind in picture.texts if kind == "opmill-row" and part.y < y < end]
        assert names == [f"y{k}" for k in range(len(numbered))]
        elements = {int(box.text) for box in part.boxes if box.text}
        coloured = {int(b.text) for b in part.boxes if b.text and "opmill-kept" in b.kinds}
        assert coloured == {p for row in numbered for p, padded in row if not padded}
        for axis in part.label.removeprefix("axes ").removeprefix("axis ").split(", "):
            found[int(axis)] = (numbered, elements)
    return found


def calls(family: str) -> Iterator[tuple[Any, Any, Any, dict[str, Any], list[Windows]]]:
    """The calls all of whose axes are drawn."""
    for version, call, example, picture in pictured(family):
        inputs, attributes, outputs = figure_arguments(version, example)
        x = inputs.get("X", inputs.get("x"))
        y = next(iter(outputs.values()))
        found = windows(picture)
        for axis, (rows, elements) in found.items():
            assert len(rows) == y.shape[2 + axis], example.name
            assert elements == set(range(x.shape[2 + axis])), example.name
            for position, padded in itertools.chain(*rows):
                assert padded == (position not in elements)
        if len(found) == len(x.shape) - 2 and y.size:
            given = {name: attributes[name] for name in example.attributes}
            yield call, inputs, attributes, given, [found[axis][0] for axis in range(len(found))]


def reached(
    axes: list[Windows], at: tuple[int, ...]
) -> Iterator[tuple[tuple[int, ...], tuple[int, ...], bool]]:
    """The taps of a window: their numbers, their positions, and whether they are padding."""
    rows = [list(enumerate(rows[i])) for rows, i in zip(axes, at, strict=True)]
    for taps in itertools.product(*rows):
        positions = tuple(position for _, (position, _) in taps)
        yield tuple(k for k, _ in taps), positions, any(padded for _, (_, padded) in taps)


def whole(shape: tuple[int, ...], seed: int, *, dtype: Any) -> Any:
    chance = random.Random(seed)
    numbers = [chance.randrange(4) for _ in range(int(np.prod(shape)))]
    return np.array(numbers, dtype).reshape(shape)


@pytest.mark.parametrize(
    "family",
    [pytest.param(f, marks=pytest.mark.operators(n)) for f, n in FAMILIES.items() if "conv" in f],
)
def test_sums_over_the_circles_are_convolutions(family: str):
    compared = 0
    for call, inputs, attributes, given, axes in calls(family):
        dtype = np.float32 if family == "conv" else np.uint8
        x = whole(inputs["X" if family == "conv" else "x"].shape, 1, dtype=dtype)
        w = whole(inputs["W" if family == "conv" else "w"].shape, 2, dtype=dtype)
        one, none = np.float32(1), np.uint8(0)
        operands = [x, one, none, w, one, none, one, none] if "qlinear" in family else [x, w]
        [y] = call.operator(operands, given, outputs=1)
        group = attributes.get("group", 1)
        maps, channels = w.shape[0] // group, w.shape[1]
        for n, m, *at in np.ndindex(y.shape):
            first = m // maps * channels
            total = sum(
                int(x[(n, first + c, *positions)]) * int(w[(m, c, *taps)])
                for taps, positions, padded in reached(axes, tuple(at))
                if not padded
                for c in range(channels)
            )
            assert min(total, 255 if "qlinear" in family else total) == y[(n, m, *at)]
        compared += 1
    assert compared >= 8


@pytest.mark.operators("MaxPool")
def test_maxima_over_the_circles_are_poolings():
    compared = 0
    for call, inputs, _, given, axes in calls("max_pool"):
        x = np.arange(inputs["X"].size, dtype=np.float32)[::-1].reshape(inputs["X"].shape)
        x = x * np.where(np.arange(x.size).reshape(x.shape) % 3, 1, -1).astype(np.float32)
        y = call.operator([x], given, outputs=1)[0]
        for n, c, *at in np.ndindex(y.shape):
            inside = [
                x[(n, c, *positions)]
                for _, positions, padded in reached(axes, tuple(at))
                if not padded
            ]
            if inside:
                assert max(inside) == y[(n, c, *at)]
        compared += 1
    assert compared >= 40


@pytest.mark.operators("AveragePool LpPool GlobalLpPool")
def test_means_and_norms_over_the_circles_are_poolings():
    compared = 0
    for call, inputs, attributes, given, axes in calls("pool"):
        if attributes.get("count_include_pad"):
            continue
        x = whole(inputs["X"].shape, 3, dtype=np.float32)
        y = call.operator([x], given, outputs=1)[0]
        p = attributes.get("p")
        for n, c, *at in np.ndindex(y.shape):
            inside = [
                float(x[(n, c, *positions)])
                for _, positions, padded in reached(axes, tuple(at))
                if not padded
            ]
            if not inside:
                continue
            wanted = (
                sum(inside) / len(inside) if p is None else sum(e**p for e in inside) ** (1 / p)
            )
            assert y[(n, c, *at)] == pytest.approx(wanted, rel=1e-5)
        compared += 1
    assert compared >= 60
