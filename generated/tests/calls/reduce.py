"""Calls of reductions whose axes are an attribute."""

from __future__ import annotations

from opmill_checks.drawing import Call, Draw, Illegal, choice, dims, happens, rank


def legal(draw: Draw) -> Call:
    """Any axes, each once, counted from the front; or none."""
    shape = dims(draw, rank(draw))
    axes = [axis for axis in range(len(shape)) if happens(draw, 50)]
    call = Call({"data": shape}, {"keepdims": choice(draw, (0, 1))})
    return call.but(axes=axes) if axes else call


def illegal(draw: Draw) -> Illegal:
    """An axis that there is not, or one that is there twice."""
    shape = (2, *dims(draw, 2))
    axes = choice(draw, ([3], [0, 1, 5], [0, 0], [-4], [2**63 - 1], [-(2**63)]))
    return Illegal(Call({"data": shape}, {"axes": axes}), "ShapeError")
