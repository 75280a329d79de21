"""Calls of functions of quantised tensors: every shape, scales of usual sizes."""

from __future__ import annotations

from collections.abc import Mapping

from opmill_checks.drawing import Call, Contents, Dims, Draw, Illegal, choice, dims, happens, rank

SCALES = (0.5, 0.0078125, 0.05, 1.0, 0.013, 0.1)


def legal(draw: Draw, *, kinds: Mapping[str, str]) -> Call:
    """Zero points are absent at times, and `alpha` has its default."""
    call = Call({"X": dims(draw, rank(draw), 500)})
    for name in "XY":
        shape: Dims = (1,) if happens(draw, 15) else ()
        call = call.but({f"{name}_scale": Contents(shape, (choice(draw, SCALES),))})
        call = call.but({f"{name}_zero_point": None if happens(draw, 20) else ()})
    if "alpha" in kinds and happens(draw, 50):
        call = call.but(alpha=choice(draw, (0.5, 0.0, -1.5, 2.0)))
    return call


def illegal(draw: Draw, *, kinds: Mapping[str, str]) -> Illegal:
    """A scale or a zero point that is no single value."""
    call = legal(draw, kinds=kinds)
    name = choice(draw, ("X_scale", "Y_scale", "X_zero_point", "Y_zero_point"))
    return Illegal(call.but({name: choice(draw, ((2,), (1, 1), (0,)))}), "ShapeError")
