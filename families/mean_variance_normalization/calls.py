"""Calls of MeanVarianceNormalization: any axes, each once, counted from either end."""

from __future__ import annotations

from opmill_checks.drawing import Call, Draw, Illegal, choice, dims, happens, rank


def legal(draw: Draw) -> Call:
    """Some axes, none, or those that it has by default where the tensor has them."""
    shape = dims(draw, rank(draw))
    r = len(shape)
    if r >= 4 and happens(draw, 30):
        return Call({"X": shape})
    axes = [axis - choice(draw, (0, r)) for axis in range(r) if happens(draw, 50)]
    return Call({"X": shape}, {"axes": axes})


def illegal(draw: Draw) -> Illegal:
    """An axis out of range or listed twice; the default axes of a tensor that lacks one."""
    shape = (2, *dims(draw, 2))
    if happens(draw, 20):
        return Illegal(Call({"X": shape}), "AttributeValueError")
    axes = choice(draw, ([3], [0, 1, 5], [0, 0], [0, -3], [-4], [2**63 - 1], [-(2**63)]))
    return Illegal(Call({"X": shape}, {"axes": axes}), "AttributeValueError")
