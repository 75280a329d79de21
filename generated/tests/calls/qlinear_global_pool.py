"""Calls of QLinearGlobalAveragePool: maps of any rank, channels in front or last."""

from __future__ import annotations

from opmill_checks.drawing import (
    Call,
    Contents,
    Dims,
    Draw,
    Illegal,
    bounded,
    choice,
    happens,
    integer,
)

SCALES = (0.5, 0.0078125, 0.05, 1.0, 0.013, 0.1)
SINGLE = ("x_scale", "x_zero_point", "y_scale", "y_zero_point")


def legal(draw: Draw) -> Call:
    """Maps of one axis to three, each of one element or more."""
    rank = choice(draw, (2, 1, 3))
    shape = [integer(draw, 0, 3), integer(draw, 0, 4) if happens(draw, 80) else 70]
    shape += [integer(draw, 1, 9) if happens(draw, 90) else 40 for _ in range(rank)]
    dims = bounded(shape, 3000)
    call = Call({"X": dims})
    if happens(draw, 50):
        call = Call({"X": (dims[0], *dims[2:], dims[1])}, {"channels_last": choice(draw, (1, 2))})
    for name in SINGLE:
        one: Dims = (1,) if happens(draw, 15) else ()
        scaled = name.endswith("scale")
        call = call.but({name: Contents(one, (choice(draw, SCALES),)) if scaled else one})
    return call


def illegal(draw: Draw) -> Illegal:
    """A rank, a map or a scale that there cannot be."""
    call = legal(draw)
    wrong = choice(draw, ("rank", "empty", "single"))
    if wrong == "rank":
        return Illegal(call.but({"X": choice(draw, ((), (3,), (2, 3)))}), "ShapeError")
    if wrong == "empty":
        return Illegal(
            call.but({"X": (2, 3, 0, 4)}, channels_last=choice(draw, (0, 1))), "ShapeError"
        )
    shape = choice(draw, ((2,), (1, 1), (0,)))
    return Illegal(call.but({choice(draw, SINGLE): shape}), "ShapeError")
