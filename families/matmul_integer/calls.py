"""Calls of MatMulInteger: vectors, matrices and stacks of them, with every shape of zero points."""

from __future__ import annotations

from opmill_checks.drawing import Call, Dims, Draw, Illegal, choice, happens, integer
from opmill_checks.quantized_calls import Factors, broadcast_pair, factors, not_fitting


def legal(draw: Draw) -> Call:
    """A vector or a stack of matrices on either side, with zero points or without."""
    drawn = factors(draw)
    return Call(
        {
            "A": drawn.a,
            "B": drawn.b,
            "a_zero_point": rows(draw, drawn) if happens(draw, 60) else None,
            "b_zero_point": columns(draw, drawn) if happens(draw, 60) else None,
        }
    )


def rows(draw: Draw, drawn: Factors) -> Dims:
    """A zero point for all, for each row of a matrix, or for each of a stack."""
    return choice(draw, drawn.row_shapes)


def columns(draw: Draw, drawn: Factors) -> Dims:
    return choice(draw, drawn.column_shapes)


def illegal(draw: Draw) -> Illegal:
    """Factors that do not fit, and zero points of another shape."""
    wrong = choice(draw, ("factors", "a", "b"))
    if wrong == "factors":
        a, b = not_fitting(draw)
        return Illegal(without_zeros(a, b), "ShapeError")
    m, k, n = integer(draw, 2, 4), integer(draw, 2, 4), integer(draw, 2, 4)
    a, b = broadcast_pair(draw, m, k, n)
    call = without_zeros(a, b)
    if wrong == "a":
        shapes: list[Dims] = [(m + 1,), (0,), (1, m), (m, k), (m, 2), (1, 1, m, 1)]
        return Illegal(call.but({"a_zero_point": choice(draw, shapes)}), "ShapeError")
    shapes = [(n + 1,), (0,), (n, 1), (k, n), (2, n), (1, 1, 1, n)]
    return Illegal(call.but({"b_zero_point": choice(draw, shapes)}), "ShapeError")


def without_zeros(a: Dims, b: Dims) -> Call:
    return Call({"A": a, "B": b, "a_zero_point": None, "b_zero_point": None})
