"""Calls of StringConcat: two shapes that broadcast together, and others."""

from __future__ import annotations

from opmill_checks.drawing import Call, Dims, Draw, Illegal, choice, dims, happens, rank


def legal(draw: Draw) -> Call:
    """An output shape first; each input may then have 1 for a dim, or lack axes in front."""
    result = dims(draw, rank(draw), 60)
    sides: dict[str, Dims] = {}
    for name in ("X", "Y"):
        side = [1 if happens(draw, 25) else dim for dim in result]
        while side and happens(draw, 20):
            del side[0]
        sides[name] = tuple(side)
    return Call(sides)


def illegal(draw: Draw) -> Illegal:
    """A legal call, then different dims on the last axis, neither of them 1."""
    call = legal(draw)
    wrong = choice(draw, (2, 3, 5))
    last = {"X": wrong, "Y": choice(draw, (0, wrong + 1))}
    changed = {name: (*call.dims_of(name)[-20:-1], dim) for name, dim in last.items()}
    return Illegal(call.but(changed), "ShapeError")
