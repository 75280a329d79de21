"""Calls of Inverse: products of triangular matrices, which have an inverse, and a few others."""

from __future__ import annotations

from math import inf, nan, prod

from opmill_checks.drawing import (
    Call,
    Contents,
    Draw,
    Illegal,
    choice,
    dims,
    happens,
    integer,
    permutation,
)


def invertible(draw: Draw, size: int) -> list[float]:
    """A product of a lower and an upper triangular matrix, its rows in any order."""
    lower = [
        [1 if i == j else integer(draw, -1, 1) if j < i else 0 for j in range(size)]
        for i in range(size)
    ]
    upper = [
        [
            choice(draw, (1, -1, 2)) if i == j else integer(draw, -1, 1) if j > i else 0
            for j in range(size)
        ]
        for i in range(size)
    ]
    rows = [
        [sum(lower[i][k] * upper[k][j] for k in range(size)) for j in range(size)]
        for i in range(size)
    ]
    return [float(x) for i in permutation(draw, range(size)) for x in rows[i]]


def legal(draw: Draw) -> Call:
    """Stacks of invertible matrices; now and then one with a row of zeros, infinities or NaN."""
    size = integer(draw, 0, 5)
    stack = dims(draw, choice(draw, (0, 1, 0, 2, 3)), 12)
    items: list[float] = []
    for _ in range(prod(stack)):
        matrix = invertible(draw, size)
        if size > 0 and happens(draw, 5):
            special = choice(draw, (0.0, inf, -inf, nan))
            matrix[:size] = [special] * size
        items += matrix
    return Call({"X": Contents((*stack, size, size), tuple(items))})


def illegal(draw: Draw) -> Illegal:
    """Matrices that are not square, or no matrices."""
    shape = choice(draw, ((2, 3), (0, 1), (3,), (), (4, 4, 5), (3, 3, 1)))
    return Illegal(Call({"X": shape}), "ShapeError")
