"""Slow reference of Pad and CenterCropPad: each axis as a list of the indices that it shows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from opmill_checks.indices import indices, ravel
from opmill_checks.value import Value, bits_of, dtype_of


def padded(inner: list[int], before: int, after: int, mode: str) -> list[int | None]:
    """The indices that are kept, with others around them; None is the fill."""
    if mode == "constant":
        return [None] * before + inner + [None] * after
    shown: list[int | None] = []
    for at in range(-before, len(inner) + after):
        if mode == "edge":
            at = min(max(at, 0), len(inner) - 1)
        elif mode == "wrap":
            at = at % len(inner)
        else:
            while len(inner) > 1 and not 0 <= at < len(inner):
                at = -at if at < 0 else 2 * (len(inner) - 1) - at
            at = at if len(inner) > 1 else 0
        shown.append(inner[at])
    return shown


def cut(size: int, before: int, after: int) -> list[int | None]:
    """The indices that are left, as if fills stood around them: a cut may take those too."""
    return [at if 0 <= at < size else None for at in range(-before, size + after)]


def shown_indices(size: int, before: int, after: int, mode: str) -> list[int | None]:
    """The indices of the input along one axis of the output."""
    if mode == "constant":
        return cut(size, before, after)
    inner = list(range(size))[max(-before, 0) : size + min(after, 0)]
    return padded(inner, max(before, 0), max(after, 0), mode)


def numbers(value: Value) -> list[int]:
    return [int(item) for item in value.items]


def pads_of(
    inputs: Mapping[str, Value], attributes: Mapping[str, Any], shape: Sequence[int]
) -> list[tuple[int, int]]:
    """The padding before and after each axis."""
    rank = len(shape)
    result = [(0, 0)] * rank
    if "shape" in inputs:
        wanted = numbers(inputs["shape"])
        axes = attributes.get("axes", range(rank))
        for axis, target in zip(axes, wanted, strict=True):
            missing = target - shape[axis]
            before = missing // 2 if missing >= 0 else -(-missing // 2)
            result[axis] = (before, missing - before)
        return result
    given = inputs.get("pads")
    if given is not None:
        pads = numbers(given)
    else:
        pads = list(attributes["pads"] if "pads" in attributes else attributes["paddings"])
    listed = inputs.get("axes")
    named = list(range(rank)) if listed is None else numbers(listed)
    for i, axis in enumerate(named):
        result[axis] = (pads[i], pads[i + len(named)])
    return result


def fill_of(
    inputs: Mapping[str, Value], attributes: Mapping[str, Any], data: Value, default: float
) -> Value:
    """The one element that is added: an input, an attribute's number, or zero bits."""
    given = inputs.get("constant_value", inputs.get("value"))
    if given is not None:
        return given
    if data.type == "string":
        return Value("string", (1,), ("",))
    dtype = dtype_of(data.type)
    number = attributes.get("value", default)
    zeros = np.zeros(dtype.itemsize, np.uint8).view(dtype)
    return Value.from_array(np.array([number], dtype) if number else zeros)


def oracle(
    inputs: Mapping[str, Value],
    attributes: Mapping[str, Any],
    *,
    defaults: Mapping[str, Any],
    output_names: Sequence[str],
) -> dict[str, Value]:
    data = inputs["data"] if "data" in inputs else inputs["input_data"]
    mode = attributes.get("mode", "constant")
    fill = fill_of(inputs, attributes, data, defaults.get("value", 0.0))
    shown = [
        shown_indices(size, before, after, mode)
        for size, (before, after) in zip(
            data.shape, pads_of(inputs, attributes, data.shape), strict=True
        )
    ]
    shape = tuple(len(each) for each in shown)
    last = len(data.items)  # the fill is one element more
    positions = []
    for index in indices(shape):
        origin = [each[at] for each, at in zip(shown, index, strict=True)]
        inside = [at for at in origin if at is not None]
        positions.append(ravel(inside, data.shape) if len(inside) == len(origin) else last)
    bits = None
    if data.bits is not None or fill.bits is not None:
        bits = (*bits_of(data.to_array()), *bits_of(fill.to_array()))
    extended = Value(data.type, (last + 1,), (*data.items, *fill.items), bits)
    return {output_names[0]: extended.take(shape, positions)}
