"""Calls of LRN: any shape of rank 3 or more, any number of neighbours."""

from __future__ import annotations

from opmill_checks.drawing import HUGE, Call, Draw, Illegal, choice, dims, happens, integer, rank


def legal(draw: Draw) -> Call:
    """Even and odd sizes, and those beyond all channels."""
    call = Call({"X": dims(draw, max(rank(draw), 3))})
    call = call.but(size=choice(draw, HUGE) if happens(draw, 10) else integer(draw, 1, 7))
    for name, numbers in (("alpha", (0.5, 1e-2, 0.0)), ("beta", (0.5, 1.0)), ("bias", (2.0, 0.5))):
        if happens(draw, 40):
            call = call.but(**{name: choice(draw, numbers)})
    return call


def illegal(draw: Draw) -> Illegal:
    """No neighbours, no size, or too few axes."""
    call = legal(draw)
    if happens(draw, 40):
        return Illegal(call.but({"X": choice(draw, ((), (2,), (2, 3)))}), "ShapeError")
    return Illegal(call.but(size=choice(draw, (0, -1, -(2**63), None))), "AttributeValueError")
