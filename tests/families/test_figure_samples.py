"""Pictures of resized axes: interpolation at the coordinates that they show gives the results.

The coordinates are read from the dots of the SVG, to half a tenth of a pixel.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from figure_cells import Part, Picture, pictured
from opmill_gen.emit.docs.figures import figure_arguments
from opmill_gen.figures.samples import OUTSIDE

pytestmark = pytest.mark.operators("Resize Upsample")


def shown(picture: Picture) -> dict[int, tuple[int, list[float]]]:
    """By axis, the length of the input, and the coordinates that the dots show."""
    found: dict[int, tuple[int, list[float]]] = {}
    parts = sorted(picture.parts, key=lambda part: part.y)
    for part in parts:
        upper, lower = rows(part)
        centre = upper[0].x + upper[0].width / 2
        width = upper[0].width + 2
        dots = [
            (x - centre) / width
            for x, y, kind in picture.circles
            if kind == "opmill-dot" and upper[0].y < y < lower[0].y
        ]
        assert [box.text for box in upper] == [str(k) for k in range(len(upper))]
        assert [box.text for box in lower] == [str(k) for k in range(len(dots))]
        for axis in part.label.removeprefix("axes ").removeprefix("axis ").split(", "):
            found[int(axis)] = (len(upper), dots)
    return found


def rows(part: Part) -> list[list[Any]]:
    return [
        sorted((box for box in part.boxes if box.y == y), key=lambda box: box.x)
        for y in sorted({box.y for box in part.boxes})
    ]


def interpolated(x: Any, axis: int, where: list[float]) -> Any:
    """An axis, linearly between its elements and constant beyond them."""
    last = x.shape[axis] - 1
    parts = []
    for coordinate in where:
        inside = min(max(coordinate, 0.0), float(last))
        low = min(int(inside), last)
        high, part = min(low + 1, last), inside - low
        parts.append(x.take(low, axis) * (1 - part) + x.take(high, axis) * part)
    return np.stack(parts, axis)


def test_interpolation_at_the_dots_is_what_the_kernel_computes():
    """Linear interpolation, whatever the mode of the example: its coordinates are the same."""
    compared = 0
    for version, call, example, picture in pictured("resize"):
        inputs, attributes, outputs = figure_arguments(version, example)
        found, x = shown(picture), inputs["X"].shape
        y = next(iter(outputs.values())).shape
        for axis, (length, where) in found.items():
            assert (length, len(where)) == (x[axis], y[axis]), example.name
        crops = attributes.get("coordinate_transformation_mode") == "tf_crop_and_resize"
        hidden = [a for a in range(len(x)) if x[a] != y[a] and a not in found]
        if attributes.get("antialias") or crops or hidden:
            continue
        # Distinct elements, each axis with a slope of its own.
        slopes = [10**axis * np.arange(dim) ** 2 for axis, dim in enumerate(x)]
        data = np.asarray(sum(np.ix_(*slopes)), np.float64)
        given = {name: attributes[name] for name in example.attributes}
        given.pop("exclude_outside", None)
        given["mode"] = "bilinear" if version.spec.since_version == 1 else "linear"
        operands: list[Any] = [data.astype(np.float32)]
        for parameter in version.spec.inputs[1:]:
            tensor = inputs.get(parameter.name)
            dtype = np.int64 if parameter.name == "sizes" else np.float32
            operands.append(
                None if tensor is None else np.array(tensor.elements, dtype).reshape(tensor.shape)
            )
        while operands[-1] is None:
            operands.pop()
        [result] = call.operator(operands, given, outputs=1)
        wanted = data
        for axis, (_, where) in found.items():
            wanted = interpolated(wanted, axis, where)
        assert result.shape == wanted.shape, example.name
        reach = max(float(np.abs(data).max()), 1.0)
        assert np.abs(result - wanted).max() <= 0.01 * reach, (version.spec.label, example.name)
        compared += 1
    assert compared >= 60


def test_coordinates_far_outside_are_drawn_near_the_end():
    for _, _, _, picture in pictured("resize"):
        for length, where in shown(picture).values():
            assert all(-OUTSIDE - 0.01 <= c <= length - 1 + OUTSIDE + 0.01 for c in where)
