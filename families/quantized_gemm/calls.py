"""Calls of QGemm: matrices transposed or not, every shape of C, floats or integers."""

from __future__ import annotations

from opmill_checks.drawing import Call, Contents, Dims, Draw, Illegal, choice, happens, integer

MAX_PRODUCTS = 4000
"""About how many multiplications a call may cost the oracle."""
SCALES = (0.5, 0.1, 1.0, 0.0066, 2.0)


def side(draw: Draw) -> int:
    """The size of an axis: small, 0 now and then, or beyond a tile of the kernels."""
    if happens(draw, 6):
        return 0
    return integer(draw, 1, 5) if happens(draw, 70) else integer(draw, 6, 40)


def scales(draw: Draw, shape: Dims) -> Contents:
    count = shape[0] if shape else 1
    return Contents(shape, tuple(choice(draw, SCALES) for _ in range(count)))


def legal(draw: Draw) -> Call:
    """One scale for B or one for each column; C and the scale of Y are absent at times."""
    m, k, n = side(draw), side(draw), side(draw)
    while m * k * n > MAX_PRODUCTS:
        m, k, n = m // 2 + 1, k // 2 + 1, n // 2 + 1
    flip_a, flip_b = happens(draw, 40), happens(draw, 40)
    one: Dims = choice(draw, ((), (1,)))
    columns: Dims = choice(draw, ((), (1,), (n,)))
    shapes: tuple[Dims, ...] = ((m, n), (n,), (1, n), (m, 1), (1, 1), (1,), ())
    is_quantized = happens(draw, 60)
    return Call(
        {
            "A": (k, m) if flip_a else (m, k),
            "a_scale": scales(draw, one),
            "a_zero_point": one,
            "B": (n, k) if flip_b else (k, n),
            "b_scale": scales(draw, columns),
            "b_zero_point": columns,
            "C": choice(draw, shapes) if happens(draw, 70) else None,
            "y_scale": scales(draw, one) if is_quantized else None,
            "y_zero_point": one if is_quantized else None,
        }
    ).but(
        alpha=choice(draw, (0.5, 2.0, -1.0, 1.0, 0.3)) if happens(draw, 40) else None,
        transA=choice(draw, (1, 1, 2, -1)) if flip_a else choice(draw, (None, 0)),
        transB=choice(draw, (1, 1, 2, -1)) if flip_b else choice(draw, (None, 0)),
    )


def illegal(draw: Draw) -> Illegal:
    """A rank, an axis, a C, a scale or a zero point that does not fit."""
    call = Call(
        {
            "A": (2, 3),
            "a_scale": (),
            "a_zero_point": (),
            "B": (3, 4),
            "b_scale": (),
            "b_zero_point": (),
            "C": None,
            "y_scale": (),
            "y_zero_point": (),
        }
    )
    wrong = choice(draw, ("rank", "summed", "C", "single", "columns", "half"))
    if wrong == "rank":
        name = choice(draw, ("A", "B"))
        shapes: tuple[Dims, ...] = ((), (3,), (1, 2, 3))
        return Illegal(call.but({name: choice(draw, shapes)}), "ShapeError")
    if wrong == "summed":
        return Illegal(choice(draw, (call.but({"B": (5, 4)}), call.but(transA=1))), "ShapeError")
    if wrong == "C":
        shapes = ((3, 4), (2,), (2, 3), (1, 2, 4), (2, 0))
        return Illegal(call.but({"C": choice(draw, shapes)}), "ShapeError")
    if wrong == "single":
        name = choice(draw, ("a_scale", "a_zero_point", "y_scale", "y_zero_point"))
        return Illegal(call.but({name: choice(draw, ((2,), (1, 1), (0,)))}), "ShapeError")
    if wrong == "columns":
        pair = choice(draw, (((4,), ()), ((), (4,)), ((3,), (3,)), ((1, 4), (1, 4))))
        return Illegal(call.but({"b_scale": pair[0], "b_zero_point": pair[1]}), "ShapeError")
    return Illegal(call.but({choice(draw, ("y_scale", "y_zero_point")): None}), "ShapeError")
