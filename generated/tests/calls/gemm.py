"""Calls of Gemm: matrices transposed or not, every shape of C, and what does not fit together."""

from __future__ import annotations

from opmill_checks.drawing import Call, Dims, Draw, Illegal, choice, happens, integer

MAX_PRODUCTS = 4000
"""About how many multiplications a call may cost the oracle."""
Names = frozenset[str]


def side(draw: Draw) -> int:
    """The size of an axis: small, 0 now and then, or beyond a tile of the kernels."""
    if happens(draw, 6):
        return 0
    return integer(draw, 1, 5) if happens(draw, 70) else integer(draw, 6, 40)


def legal(draw: Draw, *, attributes: Names) -> Call:
    """C has the product's shape, broadcasts to it, or is absent."""
    m, k, n = side(draw), side(draw), side(draw)
    while m * k * n > MAX_PRODUCTS:
        m, k, n = m // 2 + 1, k // 2 + 1, n // 2 + 1
    flip_a, flip_b = happens(draw, 40), happens(draw, 40)
    call = Call(
        {
            "A": (k, m) if flip_a else (m, k),
            "B": (n, k) if flip_b else (k, n),
            "C": (m, n),
        }
    ).but(
        alpha=choice(draw, (0.5, 2.0, -1.0, 1.0, 0.0)) if happens(draw, 40) else None,
        beta=choice(draw, (0.5, 2.0, -1.0, 1.0, 0.0)) if happens(draw, 40) else None,
        transA=choice(draw, (1, 1, 2, -1)) if flip_a else choice(draw, (None, 0)),
        transB=choice(draw, (1, 1, 2, -1)) if flip_b else choice(draw, (None, 0)),
    )
    if "broadcast" in attributes:
        if happens(draw, 40):
            return call.but({"C": smaller(draw, m, n)}, broadcast=choice(draw, (1, 1, 2, -1)))
        return call.but(broadcast=choice(draw, (None, 0)))
    return call.but({"C": smaller(draw, m, n)}) if happens(draw, 70) else call


def smaller(draw: Draw, m: int, n: int) -> Dims:
    return choice(draw, ((m, n), (n,), (1, n), (m, 1), (1, 1), (1,), ()))


def illegal(draw: Draw, *, attributes: Names) -> Illegal:
    """A rank, an axis or a C that does not fit."""
    call = Call({"A": (2, 3), "B": (3, 4), "C": (2, 4)})
    wrong = choice(draw, ("rank", "summed", "C", "same"))
    if wrong == "rank":
        name = choice(draw, ("A", "B"))
        shape: Dims = choice(draw, ((), (3,), (1, 2, 3)))
        return Illegal(call.but({name: shape}), "ShapeError")
    if wrong == "summed":
        changed = choice(
            draw,
            (
                call.but({"B": (integer(draw, 4, 9), 4)}),
                call.but({"B": (3, 4)}, transB=1),
                call.but(transA=1),
                call.but({"A": (2, integer(draw, 4, 9))}),
            ),
        )
        return Illegal(changed, "ShapeError")
    shape = choice(draw, ((3, 4), (2,), (2, 3), (4, 2), (1, 1, 1), (1, 2, 4), (2, 0)))
    if "broadcast" in attributes and wrong == "same":
        return Illegal(call.but({"C": choice(draw, ((4,), (1, 4), (), shape))}), "ShapeError")
    if "broadcast" in attributes:
        return Illegal(call.but({"C": shape}, broadcast=1), "ShapeError")
    return Illegal(call.but({"C": shape}), "ShapeError")
