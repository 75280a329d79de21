"""Calls of Compress: conditions of any length, some of them longer than the axis."""

from __future__ import annotations

from math import prod

from opmill_checks.drawing import (
    Call,
    Contents,
    Draw,
    Illegal,
    choice,
    dims,
    happens,
    integer,
    rank,
)


def drawn(draw: Draw) -> Call:
    """A condition that is shorter than the axis, as long, or longer; false beyond its end."""
    shape = dims(draw, max(1, rank(draw)), 300)
    given = {"axis": integer(draw, -len(shape), len(shape) - 1)} if happens(draw, 75) else {}
    size = shape[given["axis"]] if given else prod(shape)
    length = choice(draw, (size, integer(draw, 0, size), size + integer(draw, 1, 3)))
    bools = [happens(draw, 50) and position < size for position in range(length)]
    if length > size and happens(draw, 20):
        bools[integer(draw, size, length - 1)] = True
    scalar = length == 1 and happens(draw, 50)
    condition = Contents(() if scalar else (length,), tuple(bools))
    return Call({"input": shape, "condition": condition}, given)


def legal(draw: Draw) -> Call:
    """Any axis, or none; now and then a true bool beyond the axis, which the kernels refuse."""
    return drawn(draw)


def illegal(draw: Draw) -> Illegal:
    """A legal call with one thing wrong that the shapes or the attribute show."""
    call = drawn(draw)
    count = len(call.dims_of("input"))
    wrong = choice(draw, ("axis", "scalar", "matrix", "one"))
    if wrong == "axis":
        outside = choice(draw, (count, -count - 1, 2**63 - 1, -(2**63)))
        return Illegal(call.but(axis=outside), "AttributeValueError")
    if wrong == "scalar":
        changed = Call({"input": (), "condition": Contents((1,), (True,))})
    elif wrong == "matrix":
        changed = call.but({"condition": Contents((1, 1), (True,))})
    else:
        changed = call.but({"condition": Contents((2, 0), ())})
    return Illegal(changed, "ShapeError")
