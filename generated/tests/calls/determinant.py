"""Calls of Det: stacks of small matrices of small numbers, some of them singular."""

from __future__ import annotations

from math import inf, nan, prod

from opmill_checks.drawing import Call, Contents, Draw, Illegal, choice, dims, happens, integer


def legal(draw: Draw) -> Call:
    """Whole numbers and halves; now and then what is not finite, in matrices of two rows."""
    size = integer(draw, 0, 5)
    stack = dims(draw, choice(draw, (0, 1, 0, 2, 3)), 12)
    special = size == 2 and happens(draw, 20)
    numbers = (inf, -inf, nan, 1.0, 2.0) if special else (0.0, 1.0, -1.0, 2.0, -3.0, 0.5, 7.0, 5.0)
    shape = (*stack, size, size)
    return Call({"X": Contents(shape, tuple(choice(draw, numbers) for _ in range(prod(shape))))})


def illegal(draw: Draw) -> Illegal:
    """Matrices that are not square, or no matrices."""
    shape = choice(draw, ((2, 3), (0, 1), (3,), (), (4, 4, 5), (3, 3, 1)))
    return Illegal(Call({"X": shape}), "ShapeError")
