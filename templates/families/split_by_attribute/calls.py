"""Calls of Split whose lengths are an attribute: right ones, and some that miss the axis."""

from __future__ import annotations

from opmill_checks.drawing import Call, Draw, Illegal, choice, happens, integer
from opmill_checks.parts import cut, said, whole, with_dim, wrong_axis, wrong_lengths


def legal(draw: Draw, *, negative_axis: bool) -> Call:
    """Listed lengths, or equal ones."""
    shape, axis = whole(draw)
    if happens(draw, 60):
        lengths = cut(draw, shape[axis])
        attributes = {"split": lengths, **said(draw, shape, axis, negative=negative_axis)}
        return Call({"input": shape}, attributes, outputs=len(lengths))
    count = integer(draw, 1, 4)
    shape = with_dim(shape, axis, count * integer(draw, 0, 3))
    attributes = dict(said(draw, shape, axis, negative=negative_axis))
    return Call({"input": shape}, attributes, outputs=count)


def illegal(draw: Draw, *, negative_axis: bool) -> Illegal:
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
    axis = wrong_axis(draw, shape, negative=negative_axis)
    return Illegal(Call({"input": shape}, {"axis": axis}, outputs=1), "AttributeValueError")
