"""Calls of Trilu: diagonals inside and outside of the matrices."""

from __future__ import annotations

from collections.abc import Sequence

from opmill_checks.drawing import (
    Call,
    Contents,
    Draw,
    Given,
    Illegal,
    choice,
    dims,
    happens,
    integer,
)


def legal(draw: Draw, *, inputs: Sequence[str]) -> Call:
    """Matrices of any size, and a diagonal or none."""
    shape = dims(draw, choice(draw, (2, 3, 4)) if happens(draw, 95) else 64)
    k: Given = None
    if happens(draw, 75):
        reach = max(shape[-2:]) + 1
        value = integer(draw, -reach, reach)
        if happens(draw, 15):
            value = choice(draw, (2**63 - 1, -(2**63)))
        k = Contents(choice(draw, ((), (1,))), (value,))
    given = {"upper": choice(draw, (0, 1, -1, 2**63 - 1))} if happens(draw, 70) else {}
    return Call({inputs[0]: shape, "k": k}, given)


def illegal(draw: Draw, *, inputs: Sequence[str]) -> Illegal:
    """A rank that has no matrices, or a k that is not one value."""
    if happens(draw, 50):
        return Illegal(Call({inputs[0]: dims(draw, integer(draw, 0, 1)), "k": None}), "ShapeError")
    count = choice(draw, (0, 2, 3))
    k = Contents((count,), (0,) * count)
    return Illegal(Call({inputs[0]: dims(draw, 2), "k": k}), "ShapeError")
