"""Calls of LpNormalization: any shape of rank 1 or more, any axis, both norms."""

from __future__ import annotations

from opmill_checks.drawing import Call, Draw, Illegal, choice, dims, happens, integer, rank


def legal(draw: Draw) -> Call:
    """An axis counted from either end, or the default."""
    shape = dims(draw, max(rank(draw), 1))
    call = Call({"input": shape})
    if happens(draw, 70):
        call = call.but(axis=integer(draw, -len(shape), len(shape) - 1))
    return call.but(p=choice(draw, (1, 2))) if happens(draw, 60) else call


def illegal(draw: Draw) -> Illegal:
    """An axis out of range, a scalar, or another norm."""
    call = legal(draw)
    shape = call.dims_of("input")
    if happens(draw, 20):
        return Illegal(call.but({"input": ()}), "AttributeValueError")
    if happens(draw, 40):
        return Illegal(call.but(p=choice(draw, (0, 3, -1, 2**63 - 1))), "AttributeValueError")
    axis = choice(draw, (len(shape), -len(shape) - 1, 2**63 - 1, -(2**63)))
    return Illegal(call.but(axis=axis), "AttributeValueError")
