"""Calls of Split: the lengths are an input or an attribute, or only their number is given."""

from __future__ import annotations

from typing import Any

from opmill_checks.drawing import (
    Call,
    Contents,
    Draw,
    Illegal,
    choice,
    happens,
    integer,
    vector,
)
from opmill_checks.parts import cut, said, whole, with_dim, wrong_axis, wrong_lengths


def legal(draw: Draw, *, rule: str, floats: bool, says_how: bool) -> Call:
    """Listed lengths, or equal ones."""
    if rule == "lengths_attribute":
        return legal_attribute(draw)
    return legal_input(draw, floats=floats, says_how=says_how)


def illegal(draw: Draw, *, rule: str, floats: bool, says_how: bool) -> Illegal:
    """One thing wrong of a call that lists lengths, or that does not."""
    if rule == "lengths_attribute":
        return illegal_attribute(draw)
    return illegal_input(draw, floats=floats, says_how=says_how)


def legal_input(draw: Draw, *, floats: bool, says_how: bool) -> Call:
    """Lengths as an input, in version 1 as an attribute too; or equal ones."""
    shape, axis = whole(draw)
    attributes: dict[str, Any] = dict(said(draw, shape, axis))
    if happens(draw, 60):
        lengths = cut(draw, shape[axis])
        if floats and happens(draw, 40):
            attributes["split"] = lengths
            return Call({"input": shape, "split": None}, attributes, outputs=len(lengths))
        return Call({"input": shape, "split": vector(lengths)}, attributes, outputs=len(lengths))
    count = integer(draw, 1, 4)
    if says_how:  # all parts but the last one are equally long
        length = integer(draw, 0, 3)
        size = count * length - integer(draw, 0, length)
        attributes["num_outputs"] = count
        if (size + count - 1) // count != length:
            size = count * length
    else:
        size = count * integer(draw, 0, 3)
    shape = with_dim(shape, axis, size)
    return Call({"input": shape, "split": None}, attributes, outputs=count)


def illegal_input(draw: Draw, *, floats: bool, says_how: bool) -> Illegal:
    """One thing wrong of a call that gives lengths, or that does not."""
    shape, axis = whole(draw)
    size = shape[axis]
    attributes: dict[str, Any] = {"axis": axis}
    common = ["lengths", "count", "matrix", "axis"]
    own = ["both", "number", "neither", "many"] if says_how else ["uneven"]
    wrong = choice(draw, [*common, *own, *(["twice", "broken"] if floats else [])])
    lengths = cut(draw, size)
    outputs = len(lengths)
    split: Contents | None = vector(lengths)
    raises = "ShapeError"
    if wrong == "lengths":
        split, outputs = vector(wrong_lengths(draw, size)), 2
    elif wrong == "count":
        outputs = choice(draw, [n for n in (1, 2, 3, 7) if n != len(lengths)])
    elif wrong == "matrix":
        split = Contents((1, len(lengths)), tuple(lengths))
    elif wrong == "axis":
        attributes["axis"] = wrong_axis(draw, shape)
        raises = "AttributeValueError"
    elif wrong == "broken":
        split, outputs = vector([0.5, size - 0.5]), 2
    elif wrong == "uneven":
        shape, split, outputs = with_dim(shape, axis, choice(draw, (1, 5, 7))), None, 2
    elif wrong == "many":  # rounded up, all parts but the last one are longer than the axis
        shape, split, outputs = with_dim(shape, axis, 5), None, 4
        attributes["num_outputs"] = 4
    else:
        raises = "AttributeValueError"
        if wrong == "twice":
            attributes["split"] = lengths
        elif wrong == "both":
            attributes["num_outputs"] = outputs
        elif wrong == "neither":
            split = None
        else:
            split = None
            attributes["num_outputs"] = choice(draw, (0, -1, outputs + 1, outputs - 1, 2**40))
    return Illegal(Call({"input": shape, "split": split}, attributes, outputs=outputs), raises)


def legal_attribute(draw: Draw) -> Call:
    """Listed lengths, or equal ones."""
    shape, axis = whole(draw)
    if happens(draw, 60):
        lengths = cut(draw, shape[axis])
        attributes = {"split": lengths, **said(draw, shape, axis)}
        return Call({"input": shape}, attributes, outputs=len(lengths))
    count = integer(draw, 1, 4)
    shape = with_dim(shape, axis, count * integer(draw, 0, 3))
    attributes = dict(said(draw, shape, axis))
    return Call({"input": shape}, attributes, outputs=count)


def illegal_attribute(draw: Draw) -> Illegal:
    """Lengths that do not make the axis, another number of them, an axis that there is not."""
    shape, axis = whole(draw)
    size = shape[axis]
    wrong = choice(draw, ("lengths", "count", "uneven", "axis"))
    if wrong == "lengths":
        attributes = {"axis": axis, "split": wrong_lengths(draw, size)}
        return Illegal(Call({"input": shape}, attributes, outputs=2), "ShapeError")
    if wrong == "count":
        lengths = cut(draw, size)
        asked = choice(draw, [n for n in (1, 2, 3, 7) if n != len(lengths)])
        attributes = {"axis": axis, "split": lengths}
        return Illegal(Call({"input": shape}, attributes, outputs=asked), "ShapeError")
    if wrong == "uneven":
        shape = with_dim(shape, axis, choice(draw, (1, 5, 7)))
        return Illegal(Call({"input": shape}, {"axis": axis}, outputs=2), "ShapeError")
    axis = wrong_axis(draw, shape)
    return Illegal(Call({"input": shape}, {"axis": axis}, outputs=1), "AttributeValueError")
