"""Calls of QLinearMatMul: vectors, matrices and stacks, with scales of every shape."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from opmill_checks.drawing import (
    Call,
    Contents,
    Dims,
    Draw,
    Illegal,
    choice,
    happens,
    integer,
    product,
)
from opmill_checks.quantized_calls import broadcast_pair, factors, not_fitting

Types = Mapping[str, tuple[str, ...]]
SCALES = (1, 0.5, 0.1, 0.0066, 2, 1e-3, 3)


def legal(draw: Draw, *, types: Types) -> Call:
    """A vector or a stack of matrices on either side; scales are positive, now and then 0."""
    drawn = factors(draw)
    rows, columns = choice(draw, drawn.row_shapes), choice(draw, drawn.column_shapes)
    one: Dims = choice(draw, ((), (1,)))
    call = quantized(drawn.a, drawn.b, rows, columns, one)
    given = {
        name: scales(draw, shape)
        for name, shape in (("a_scale", rows), ("b_scale", columns), ("y_scale", one))
    }
    call = call.but(given)
    if happens(draw, 40):  # integers, whose sums are exact
        small = {name: choice(draw, ("int8", "uint8")) for name in ("T1", "T2", "T3")}
        call = replace(call, types=small)
    return call


def quantized(a: Dims, b: Dims, rows: Dims, columns: Dims, one: Dims) -> Call:
    """A call by its shapes."""
    return Call(
        {
            "a": a,
            "a_scale": rows,
            "a_zero_point": rows,
            "b": b,
            "b_scale": columns,
            "b_zero_point": columns,
            "y_scale": one,
            "y_zero_point": one,
        }
    )


def scales(draw: Draw, shape: Dims) -> Dims | Contents:
    if product(shape) > 60 or 0 in shape:
        return shape
    pool = (*SCALES, 0) if happens(draw, 5) else SCALES
    return Contents(shape, tuple(choice(draw, pool) for _ in range(product(shape))))


def illegal(draw: Draw) -> Illegal:
    """Factors that do not fit, scales and zero points of other shapes."""
    wrong = choice(draw, ("factors", "rows", "columns", "zero", "output"))
    if wrong == "factors":
        return Illegal(quantized(*not_fitting(draw), (), (), ()), "ShapeError")
    m, k, n = integer(draw, 2, 4), integer(draw, 2, 4), integer(draw, 2, 4)
    call = quantized(*broadcast_pair(draw, m, k, n), (), (), ())
    if wrong == "rows":
        rows: list[Dims] = [(m + 1,), (0,), (1, m), (m, k), (1, 1, m, 1)]
        shape = choice(draw, rows)
        return Illegal(call.but({"a_scale": shape, "a_zero_point": shape}), "ShapeError")
    if wrong == "columns":
        columns: list[Dims] = [(n + 1,), (0,), (n, 1), (k, n), (1, 1, 1, n)]
        shape = choice(draw, columns)
        return Illegal(call.but({"b_scale": shape, "b_zero_point": shape}), "ShapeError")
    others: list[Dims] = [(2,), (1, 1), (0,), (m + 1, 1)]
    if wrong == "zero":
        name = choice(draw, ("a_zero_point", "b_zero_point"))
    else:
        name = choice(draw, ("y_scale", "y_zero_point"))
    return Illegal(call.but({name: choice(draw, others)}), "ShapeError")
