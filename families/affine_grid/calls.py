"""Calls of AffineGrid: small grids of two or three axes."""

from __future__ import annotations

from opmill_checks.drawing import Call, Draw, Illegal, choice, happens, integer, vector


def legal(draw: Draw) -> Call:
    """Some of the axes are empty or of one point."""
    axes = choice(draw, (2, 3))
    batch = choice(draw, (1, 2, 0, 3))
    lengths = [choice(draw, (1, 2, 3, 0, 5)) for _ in range(axes)]
    if happens(draw, 10):
        lengths[-1] = 40
    sizes = vector([batch, choice(draw, (1, 3, 0)), *lengths])
    call = Call({"theta": (batch, axes, axes + 1), "size": sizes})
    return call.but(align_corners=integer(draw, 0, 1)) if happens(draw, 70) else call


def illegal(draw: Draw) -> Illegal:
    """Matrices and sizes that do not fit each other, or no flag."""
    call = Call({"theta": (2, 2, 3), "size": vector([2, 1, 3, 4])})
    wrong = choice(draw, ("flag", "theta", "size"))
    if wrong == "flag":
        return Illegal(call.but(align_corners=choice(draw, (2, -1))), "AttributeValueError")
    if wrong == "theta":
        theta = choice(draw, ((2, 3, 4), (2, 2), (2, 2, 2), (3, 2, 3), (2, 3, 3)))
        return Illegal(call.but({"theta": theta}), "ShapeError")
    sizes = choice(draw, ((2, 1, 3), (2, 1, 3, 4, 5), (1, 1, 3, 4), (2, 1, -3, 4), (2, -1, 3, 4)))
    return Illegal(call.but({"size": vector(sizes)}), "ShapeError")
