"""Draws where the positions of a resized axis lie on the input's."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from opmill_gen.figures.samples import LEGEND as LEGEND
from opmill_gen.figures.samples import Axis, samples
from opmill_gen.figures.svg import Arguments


def figure(inputs: Arguments, attributes: Mapping[str, Any], outputs: Arguments) -> str | None:
    """The picture of a call as SVG; ``None`` where its axes are too long to be drawn."""
    found = axes(inputs, attributes, outputs)
    return None if found is None else samples(found)


def axes(inputs: Arguments, attributes: Mapping[str, Any], outputs: Arguments) -> list[Axis] | None:
    """All axes of a call; ``None`` where the example does not state its scales or sizes."""
    before, after = inputs["X"].shape, outputs["Y"].shape
    rank = len(before)
    named = [axis % rank for axis in attributes.get("axes", range(rank))]
    scales = _scales(inputs, attributes, before, named)
    if scales is None:
        return None
    word = attributes.get("coordinate_transformation_mode", "asymmetric")
    regions = [(0.0, 1.0)] * rank
    if word == "tf_crop_and_resize":
        roi = inputs["roi"].elements
        for k, axis in enumerate(named):
            regions[axis] = (float(roi[k]), float(roi[k + len(named)]))
    drawn = []
    for axis, (n, out, scale) in enumerate(zip(before, after, scales, strict=True)):
        begin, end = regions[axis]
        where = [_coordinate(word, i, n, out, scale, begin, end) for i in range(out)]
        if axis not in named:
            where = [float(i) for i in range(out)]
        if not all(map(math.isfinite, where)):
            return None
        drawn.append(Axis(n, tuple(where)))
    return drawn


def _given(inputs: Arguments, name: str) -> bool:
    return inputs.get(name) is not None and inputs[name].size > 0


def _scales(
    inputs: Arguments, attributes: Mapping[str, Any], before: Any, named: list[int]
) -> list[float] | None:
    """The scale of each axis."""
    if 0 in before:
        return None
    scales = [1.0] * len(before)
    if "height_scale" in attributes:
        given = [1.0, 1.0, attributes["height_scale"], attributes["width_scale"]]
    elif "scales" in attributes:
        given = attributes["scales"]
    elif _given(inputs, "scales"):
        given = inputs["scales"].elements
    elif _given(inputs, "sizes"):
        sizes = inputs["sizes"].elements
        given = sizes and [size / before[axis] for size, axis in zip(sizes, named, strict=True)]
        policy = attributes.get("keep_aspect_ratio_policy", "stretch")
        if given and policy != "stretch":
            given = [(min if policy == "not_larger" else max)(given)] * len(given)
    else:
        return scales
    if given is None:
        return None
    for axis, scale in zip(named, given, strict=True):
        scales[axis] = float(scale)
    return scales


def _coordinate(
    word: str, i: int, n: int, out: int, scale: float, begin: float, end: float
) -> float:
    """ONNX's coordinate transformations."""
    if word == "align_corners":
        return i * (n - 1) / (out - 1) if out > 1 else 0.0
    if word == "tf_crop_and_resize":
        if out <= 1:
            return 0.5 * (begin + end) * (n - 1)
        return begin * (n - 1) + i * (end - begin) * (n - 1) / (out - 1)
    if word == "asymmetric":
        return i / scale
    if word == "pytorch_half_pixel" and out <= 1:
        return 0.0
    if word == "tf_half_pixel_for_nn":
        return (i + 0.5) / scale
    middle = (i + 0.5) / scale - 0.5
    if word == "half_pixel_symmetric":
        middle += n / 2 * (1 - out / (scale * n))
    return middle
