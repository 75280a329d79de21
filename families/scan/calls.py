"""Calls of CumSum and CumProd: any axis, from either end, with the element itself or without."""

from __future__ import annotations

from math import prod

from opmill_checks.drawing import Call, Contents, Draw, Illegal, choice, dims, happens, integer


def legal(draw: Draw) -> Call:
    """Any axis, an empty one too."""
    shape = dims(draw, choice(draw, (1, 2, 3, 4, 64)), 300)
    axis = integer(draw, -len(shape), len(shape) - 1)
    given = {name: integer(draw, 0, 1) for name in ("exclusive", "reverse") if happens(draw, 60)}
    return Call({"x": shape, "axis": Contents(choice(draw, ((), (1,))), (axis,))}, given)


def illegal(draw: Draw) -> Illegal:
    """A scalar, an axis that x lacks or that is not one number, or a flag that is none."""
    call = legal(draw)
    rank = len(call.dims_of("x"))
    wrong = choice(draw, ("scalar", "axis", "vector", "flag"))
    if wrong == "scalar":
        return Illegal(call.but({"x": ()}), "ShapeError")
    if wrong == "axis":
        axis = choice(draw, (rank, -rank - 1, 2**31 - 1, -(2**31)))
        return Illegal(call.but({"axis": Contents((), (axis,))}), "ShapeError")
    if wrong == "vector":
        shape = choice(draw, ((0,), (2,), (1, 1)))
        return Illegal(call.but({"axis": Contents(shape, (0,) * prod(shape))}), "ShapeError")
    name = choice(draw, ("exclusive", "reverse"))
    return Illegal(call.but(**{name: choice(draw, (2, -1, 2**40))}), "AttributeValueError")
