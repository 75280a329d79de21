"""Calls of Pad and CenterCropPad: what is added and removed, in every mode."""

from __future__ import annotations

from typing import Any

from opmill_checks.drawing import (
    Call,
    Contents,
    Dims,
    Draw,
    Given,
    Illegal,
    choice,
    dims,
    happens,
    integer,
    permutation,
    product,
    rank,
    vector,
)

MODES = ("constant", "reflect", "edge", "wrap")


def pads_of(draw: Draw, size: int, mode: str, negative_pads: bool) -> tuple[int, int]:
    """Draw the padding before and after an axis; removals leave an element where one is needed."""
    if happens(draw, 35):
        return (0, 0)
    low, high = (-3 if negative_pads else 0), (9 if happens(draw, 15) else 3)
    before, after = integer(draw, low, high), integer(draw, low, high)
    if size + before + after < 0:
        return (0, 0)
    left = size + min(before, 0) + min(after, 0)
    if mode != "constant" and left <= 0 and max(before, after) > 0:
        return (0, 0)
    return (before, after)


def bounded_pads(
    draw: Draw, shape: Dims, axes: list[int], mode: str, negative_pads: bool
) -> list[tuple[int, int]]:
    """Pads of the axes that are listed, none where the output would be too large."""
    total = product(shape)
    chosen = []
    for axis in axes:
        pair = pads_of(draw, shape[axis], mode, negative_pads)
        size = max(shape[axis], 1)
        grown = total // size * max(shape[axis] + sum(pair), 1)
        if grown > 4000 and sum(pair) > 0:
            pair = (0, 0)
        else:
            total = max(grown, 1)
        chosen.append(pair)
    return chosen


def center(draw: Draw) -> Call:
    """A call of CenterCropPad."""
    shape = dims(draw, rank(draw))
    axes = permutation(draw, range(len(shape)))[: integer(draw, 0, len(shape))]
    attributes: dict[str, Any] = {}
    if happens(draw, 60):
        attributes["axes"] = [a - len(shape) if happens(draw, 30) else a for a in axes]
    else:
        axes = list(range(len(shape)))
    pairs = bounded_pads(draw, shape, axes, "constant", True)
    wanted = [shape[axis] + sum(pair) for axis, pair in zip(axes, pairs, strict=True)]
    return Call({"input_data": shape, "shape": vector(wanted)}, attributes)


def legal(
    draw: Draw,
    *,
    rule: str,
    negative_pads: bool,
    wrap_mode: bool,
    inputs: frozenset[str],
    attributes: frozenset[str],
) -> Call:
    """Pads of some axes, in a mode that the version has."""
    if rule == "center":
        return center(draw)
    shape = dims(draw, rank(draw))
    count = len(shape)
    mode = choice(draw, MODES if wrap_mode else MODES[:3])
    given: dict[str, Any] = {"mode": mode} if mode != "constant" or happens(draw, 50) else {}
    axes = list(range(count))
    listed = "axes" in inputs and happens(draw, 60)
    if listed:
        axes = permutation(draw, axes)[: integer(draw, 0, count)]
    pairs = bounded_pads(draw, shape, axes, mode, negative_pads)
    pads = [before for before, _ in pairs] + [after for _, after in pairs]
    if rule == "attribute":
        given["paddings" if "paddings" in attributes else "pads"] = pads
        if happens(draw, 50):
            given["value"] = choice(draw, (1.5, -2.0, 0.0))
        return Call({"data": shape}, given)
    value = choice(draw, ((), (1,), None))
    if rule == "row":
        row = Contents((1, len(pads)), tuple(pads)) if happens(draw, 50) else vector(pads)
        return Call({"data": shape, "pads": row, "value": value}, given)
    called: dict[str, Given] = {"data": shape, "pads": vector(pads), "constant_value": value}
    if listed:
        called["axes"] = vector([a - count if happens(draw, 30) else a for a in axes])
    elif "axes" in inputs:
        called["axes"] = None
    return Call(called, given)


def illegal_center(draw: Draw) -> Illegal:
    """A call of CenterCropPad with one thing wrong."""
    shape = dims(draw, integer(draw, 1, 4))
    axes = list(range(len(shape)))
    wanted = [2] * len(shape)
    position = integer(draw, 0, len(shape) - 1)
    wrong = choice(draw, ("negative", "count", "rank", "axis", "twice"))
    raises = "ShapeError"
    contents = vector(wanted)
    if wrong == "negative":
        wanted[position] = choice(draw, (-1, -5, -(2**31)))
        contents = vector(wanted)
    elif wrong == "count":
        contents = vector([*wanted, 2])
    elif wrong == "rank":
        contents = Contents((1, len(wanted)), tuple(wanted))
    else:
        raises = "AttributeValueError"
        axes[position] = choice(draw, (len(shape), -len(shape) - 1, 2**40))
        if wrong == "twice" and len(shape) > 1:
            axes[position] = axes[position - 1]
    return Illegal(Call({"input_data": shape, "shape": contents}, {"axes": axes}), raises)


def illegal(
    draw: Draw,
    *,
    rule: str,
    negative_pads: bool,
    wrap_mode: bool,
    inputs: frozenset[str],
    attributes: frozenset[str],
) -> Illegal:
    """A legal call with one thing wrong."""
    if rule == "center":
        return illegal_center(draw)
    shape = tuple(max(dim, 1) for dim in dims(draw, integer(draw, 1, 4)))
    pads = [1] * (2 * len(shape))
    mode = "constant"
    own = ("matrix", "constant", *(["axis"] if "axes" in inputs else []))
    wrong = choice(draw, ("mode", "count", "removed", *(() if rule == "attribute" else own)))
    called: dict[str, Given] = {"data": shape}
    raises = "AttributeValueError" if rule == "attribute" else "ShapeError"
    axes: list[int] = list(range(len(shape)))
    if wrong == "mode":
        later = () if wrap_mode else ("wrap",)
        mode = choice(draw, ("", "Constant", "symmetric", "wraps", *later))
        raises = "AttributeValueError"
    elif wrong == "count":
        pads = choice(draw, (pads[1:], [*pads, 0], [*pads, 0, 0]))
    elif wrong == "removed":
        axis = integer(draw, 0, len(shape) - 1)
        pads[axis], pads[axis + len(shape)] = -shape[axis], -1
        raises = "ShapeError" if negative_pads else raises
    elif wrong == "axis":
        axes[0] = choice(draw, (len(shape), -len(shape) - 1, 2**31 - 1))
    given: dict[str, Any] = {"mode": mode}
    if rule == "attribute":
        given["paddings" if "paddings" in attributes else "pads"] = pads
        return Illegal(Call(called, given), raises)
    rows = (len(pads), 1) if rule == "row" else (1, len(pads))
    called["pads"] = Contents(rows, tuple(pads)) if wrong == "matrix" else vector(pads)
    called["value" if rule == "row" else "constant_value"] = (2,) if wrong == "constant" else None
    if "axes" in inputs:
        called["axes"] = vector(axes) if wrong == "axis" else None
    return Illegal(Call(called, given), raises)
