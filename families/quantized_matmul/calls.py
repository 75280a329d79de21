"""Calls of products of integers as floats: vectors, matrices and stacks of them."""

from __future__ import annotations

from opmill_checks.drawing import Call, Contents, Dims, Draw, Illegal, choice, happens, integer
from opmill_checks.drawing import product as size_of
from opmill_checks.quantized_calls import broadcast_pair, factors, not_fitting

SCALES = (0.5, 0.1, 1.0, 0.0066, 2.0)


def legal(draw: Draw, *, rule: str) -> Call:
    """A scale for all columns or for each; zero points and bias are absent at times."""
    drawn = factors(draw)
    columns = choice(draw, drawn.column_shapes)
    call = Call({"A": drawn.a, "B": drawn.b, "b_scale": scales(draw, columns)})
    shape = choice(draw, drawn.column_shapes) if happens(draw, 40) else columns
    call = call.but({"b_zero_point": shape if happens(draw, 60) else None})
    width = drawn.b[-1] if len(drawn.b) > 1 else 1
    call = call.but({"bias": (width,) if happens(draw, 60) else None})
    if rule == "integers":
        one: Dims = choice(draw, ((), (1,)))
        zero = one if happens(draw, 60) else None
        return call.but({"a_scale": scales(draw, one), "a_zero_point": zero})
    return call.but({"A": numbers(draw, drawn.a)})


def scales(draw: Draw, shape: Dims) -> Contents:
    count = 0 if 0 in shape else size_of(shape)
    return Contents(shape, tuple(choice(draw, SCALES) for _ in range(count)))


def numbers(draw: Draw, shape: Dims) -> Contents:
    """Floats of usual sizes, so that elements next to each other differ."""
    count = 0 if 0 in shape else size_of(shape)
    step, start = integer(draw, 1, 90), integer(draw, 0, 90)
    return Contents(shape, tuple(((start + step * k) % 97 - 40) / 8 for k in range(count)))


def illegal(draw: Draw, *, rule: str) -> Illegal:
    """Factors that do not fit, scales, zero points and a bias of other shapes."""
    wrong = choice(draw, ("factors", "columns", "bias", "rows"))
    m, k, n = integer(draw, 2, 4), integer(draw, 2, 4), integer(draw, 2, 4)
    a, b = not_fitting(draw) if wrong == "factors" else broadcast_pair(draw, m, k, n)
    call = Call({"A": a, "B": b, "b_scale": (), "b_zero_point": None, "bias": None})
    if rule == "integers":
        call = call.but({"a_scale": (), "a_zero_point": None})
    if wrong == "rows" and rule == "integers":
        name = choice(draw, ("a_scale", "a_zero_point"))
        return Illegal(call.but({name: choice(draw, ((m,), (0,), (1, 1)))}), "ShapeError")
    if wrong == "bias":
        shapes: tuple[Dims, ...] = ((n + 1,), (1, n), (), (0,))
        return Illegal(call.but({"bias": choice(draw, shapes)}), "ShapeError")
    if wrong != "factors":
        shapes = ((n + 1,), (0,), (n, 1), (k, n), (1, 1, 1, n))
        name = choice(draw, ("b_scale", "b_zero_point"))
        return Illegal(call.but({name: choice(draw, shapes)}), "ShapeError")
    return Illegal(call, "ShapeError")
