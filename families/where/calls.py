"""Calls of Where: three shapes that broadcast together, and others."""

from __future__ import annotations

from opmill_checks.drawing import Call, Dims, Draw, Illegal, choice, dims, happens, integer, rank

NAMES = ("condition", "X", "Y")


def legal(draw: Draw) -> Call:
    """An output shape first; each input may then have 1 for a dim, or lack axes in front."""
    result = dims(draw, rank(draw))
    sides: dict[str, Dims] = {}
    for name in NAMES:
        side = [1 if happens(draw, 25) else dim for dim in result]
        while side and happens(draw, 20):
            del side[0]
        sides[name] = tuple(side)
    return Call(sides)


def illegal(draw: Draw) -> Illegal:
    """A legal call, then two inputs with different dims on the last axis, neither of them 1."""
    call = legal(draw)
    wrong = choice(draw, (2, 3, 5))
    names = list(NAMES)
    del names[integer(draw, 0, 2)]
    last = {names[0]: wrong, names[1]: choice(draw, (0, wrong + 1))}
    changed = {name: (*call.dims_of(name)[-20:-1], last.get(name, 1)) for name in NAMES}
    return Illegal(call.but(changed), "ShapeError")
