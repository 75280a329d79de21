"""Calls of reductions whose axes are an input."""

from __future__ import annotations

from opmill_checks.drawing import (
    Call,
    Contents,
    Draw,
    Illegal,
    choice,
    dims,
    happens,
    rank,
    vector,
)


def legal(draw: Draw) -> Call:
    """Any axes, each once, from the front or the end; or none."""
    shape = dims(draw, rank(draw))
    r = len(shape)
    axes = [axis - choice(draw, (0, r)) for axis in range(r) if happens(draw, 50)]
    given = vector(axes) if axes or happens(draw, 50) else None
    attributes = {name: choice(draw, (0, 1)) for name in ("keepdims", "noop_with_empty_axes")}
    return Call({"data": shape, "axes": given}, attributes)


def illegal(draw: Draw) -> Illegal:
    """An axis that there is not, one that is there twice, or axes that are no vector."""
    shape = (2, *dims(draw, 2))
    axes = choice(draw, ([3], [0, 1, 5], [0, -3], [-4], [2**63 - 1], [-(2**63)]))
    given = vector(axes) if happens(draw, 80) else Contents((1, len(axes)), tuple(axes))
    return Illegal(Call({"data": shape, "axes": given}), "ShapeError")
