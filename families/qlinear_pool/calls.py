"""Calls of QLinearAveragePool: those of any pooling, with scales and zero points."""

from __future__ import annotations

from opmill_checks import pools
from opmill_checks.drawing import Call, Contents, Dims, Draw, Illegal, choice, happens

SCALES = (0.5, 0.0078125, 0.05, 1.0, 0.013, 0.1)


def legal(draw: Draw, *, attributes: pools.Names) -> Call:
    """Channels are the second axis or the last one; zero points are absent at times."""
    call = pools.legal(draw, attributes)
    if happens(draw, 40):
        batch, channels, *maps = call.dims_of("X")
        call = call.but({"X": (batch, *maps, channels)}, channels_last=choice(draw, (1, 2, -1)))
    return quantised(draw, call)


def quantised(draw: Draw, call: Call) -> Call:
    for side in "xy":
        shape: Dims = (1,) if happens(draw, 15) else ()
        zero = None if happens(draw, 20) else shape
        scale = Contents(shape, (choice(draw, SCALES),))
        call = call.but({f"{side}_scale": scale, f"{side}_zero_point": zero})
    return call


def illegal(draw: Draw, *, attributes: pools.Names) -> Illegal:
    """A legal call with one thing wrong."""
    if happens(draw, 30):
        name = choice(draw, ("x_scale", "y_scale", "x_zero_point", "y_zero_point"))
        call = quantised(draw, pools.legal(draw, attributes))
        return Illegal(call.but({name: choice(draw, ((2,), (1, 1), (0,)))}), "ShapeError")
    wrong = pools.illegal(draw, attributes)
    return Illegal(quantised(draw, wrong.call), wrong.raises)
