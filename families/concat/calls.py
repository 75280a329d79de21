"""Calls of Concat: shapes that differ along one axis alone, and others."""

from __future__ import annotations

from opmill_checks.drawing import Call, Draw, Illegal, Several, choice, dims, happens, integer, rank


def legal(draw: Draw) -> Call:
    """One to five inputs, some of which are empty along the axis."""
    shape = dims(draw, max(1, rank(draw)), 500)
    axis = integer(draw, 0, len(shape) - 1)
    parts: Several = []
    for _ in range(choice(draw, (2, 1, 3, 5))):
        length = shape[axis] if happens(draw, 40) else choice(draw, (1, 2, 0, 3))
        parts.append((*shape[:axis], length, *shape[axis + 1 :]))
    if happens(draw, 40):
        axis -= len(shape)
    return Call({"inputs": parts}, {"axis": axis})


def illegal(draw: Draw) -> Illegal:
    """A part that does not fit, or an axis that there is not."""
    shape = (*dims(draw, integer(draw, 0, 3), 100), 2, 3)
    wrong = choice(draw, ("dim", "empty", "rank", "axis", "back", "scalar"))
    axis = integer(draw, 0, len(shape) - 2)
    if wrong == "dim":
        other = (*shape[:-1], choice(draw, (2, 4, 0)))
        return Illegal(Call({"inputs": [shape, other]}, {"axis": axis}), "ShapeError")
    if wrong == "empty":  # a part without elements must fit, too
        other = (*shape[:axis], 0, *shape[axis + 1 : -1], 4)
        return Illegal(Call({"inputs": [shape, other, shape]}, {"axis": axis}), "ShapeError")
    if wrong == "rank":
        other = (1, *shape) if happens(draw, 50) else shape[1:]
        return Illegal(Call({"inputs": [shape, other]}, {"axis": axis}), "ShapeError")
    if wrong == "scalar":
        return Illegal(Call({"inputs": [(), ()]}, {"axis": 0}), "AttributeValueError")
    axis = choice(draw, (len(shape), 2**31, 2**63 - 1)) if wrong == "axis" else -len(shape) - 1
    return Illegal(Call({"inputs": [shape, shape]}, {"axis": axis}), "AttributeValueError")
