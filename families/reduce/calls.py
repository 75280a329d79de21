"""Calls of reductions: their axes are an attribute, an input, or the spatial ones."""

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


def legal(draw: Draw, *, rule: str) -> Call:
    """Any axes, each once; or none."""
    if rule == "spatial":
        return legal_spatial(draw)
    return legal_attribute(draw) if rule == "axes_attribute" else legal_input(draw)


def legal_attribute(draw: Draw) -> Call:
    """Axes counted from the front."""
    shape = dims(draw, rank(draw))
    axes = [axis for axis in range(len(shape)) if happens(draw, 50)]
    call = Call({"data": shape}, {"keepdims": choice(draw, (0, 1))})
    return call.but(axes=axes) if axes else call


def legal_input(draw: Draw) -> Call:
    """Axes counted from either end."""
    shape = dims(draw, rank(draw))
    r = len(shape)
    axes = [axis - choice(draw, (0, r)) for axis in range(r) if happens(draw, 50)]
    given = vector(axes) if axes or happens(draw, 50) else None
    attributes = {name: choice(draw, (0, 1)) for name in ("keepdims", "noop_with_empty_axes")}
    return Call({"data": shape, "axes": given}, attributes)


def legal_spatial(draw: Draw) -> Call:
    """Batch and channels may be empty, the axes after them are not."""
    outer, inner = dims(draw, 2), dims(draw, choice(draw, (2, 1, 3, 0, 5)), 300)
    return Call({"X": (*outer, *(max(dim, 1) for dim in inner))})


def illegal(draw: Draw, *, rule: str) -> Illegal:
    """An axis out of range or listed twice; as an input, also axes that are no vector."""
    if rule == "spatial":
        shape = choice(draw, ((), (2,), (1, 1, 0), (2, 3, 4, 0), (0, 1, 0, 2)))
        return Illegal(Call({"X": shape}), "ShapeError")
    shape = (2, *dims(draw, 2))
    if rule == "axes_attribute":
        axes = choice(draw, ([3], [0, 1, 5], [0, 0], [-4], [2**63 - 1], [-(2**63)]))
        return Illegal(Call({"data": shape}, {"axes": axes}), "ShapeError")
    axes = choice(draw, ([3], [0, 1, 5], [0, -3], [-4], [2**63 - 1], [-(2**63)]))
    given = vector(axes) if happens(draw, 80) else Contents((1, len(axes)), tuple(axes))
    return Illegal(Call({"data": shape, "axes": given}), "ShapeError")
