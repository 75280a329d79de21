"""Calls of QLinearSoftmax: any shape with an axis, scales of usual sizes."""

from __future__ import annotations

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

SCALES = (0.5, 0.0078125, 0.05, 0.013, 0.1)
OUT_SCALES = (0.00390625, 0.0078125, 0.015625)


def legal(draw: Draw) -> Call:
    """An axis from either end, either meaning of it."""
    shape = dims(draw, max(rank(draw), 1), 300)
    axis = integer(draw, 0, len(shape) - 1)
    call = Call({"X": shape, "X_scale": Contents((), (choice(draw, SCALES),)), "x_zero_point": ()})
    call = call.but({"y_scale": Contents((), (choice(draw, OUT_SCALES),)), "y_zero_point": ()})
    if happens(draw, 20):
        call = call.but({"x_zero_point": None})
    if axis != len(shape) - 1 or happens(draw, 50):
        call = call.but(axis=axis - choice(draw, (0, len(shape))))
    return call.but(opset=choice(draw, (12, 13, 1, 21)))


def illegal(draw: Draw) -> Illegal:
    """An axis that there is not, or a scale that is no single value."""
    call = legal(draw)
    shape = call.dims_of("X")
    if happens(draw, 50):
        axis = choice(draw, (len(shape), -len(shape) - 1, 2**63 - 1))
        return Illegal(call.but(axis=axis), "AttributeValueError")
    name = choice(draw, ("X_scale", "y_scale", "x_zero_point", "y_zero_point"))
    return Illegal(call.but({name: (2,)}), "ShapeError")
