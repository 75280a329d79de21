"""Calls of SwiGLU: two tensors of one shape, and of two."""

from __future__ import annotations

from opmill_checks.drawing import Call, Draw, Illegal, choice, dims, happens, rank


def legal(draw: Draw) -> Call:
    """Any shape; an alpha of either sign, or none."""
    shape = dims(draw, rank(draw), 300)
    call = Call({"A": shape, "B": shape})
    return call.but(alpha=choice(draw, (1.702, 0.5, -2.0, 0.0))) if happens(draw, 50) else call


def illegal(draw: Draw) -> Illegal:
    """Shapes that differ, though some of them could be broadcast."""
    shape = choice(draw, ((1, 3), (2, 1), (3,), (), (1, 2, 3), (2, 4), (2, 0)))
    return Illegal(Call({"A": (2, 3), "B": shape}), "ShapeError")
