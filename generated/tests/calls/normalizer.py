"""Calls of Normalizer: one row or several, each of the norms."""

from __future__ import annotations

from opmill_checks.drawing import Call, Draw, Illegal, choice, dims, happens, integer


def legal(draw: Draw) -> Call:
    """A row or a batch of rows, a norm or the default."""
    call = Call({"X": dims(draw, integer(draw, 1, 2))})
    return call.but(norm=choice(draw, ("L1", "L2", "MAX"))) if happens(draw, 80) else call


def illegal(draw: Draw) -> Illegal:
    """A tensor of another rank, or a norm of another name."""
    call = legal(draw)
    if happens(draw, 50):
        shape = choice(draw, ((), (1, 2, 3), (0, 0, 0), (1,) * 64))
        return Illegal(call.but({"X": shape}), "ShapeError")
    return Illegal(call.but(norm=choice(draw, ("max", "", "L3", "l1"))), "AttributeValueError")
