"""Calls of MatMul: vectors, matrices and stacks of them, and what does not fit together."""

from __future__ import annotations

from opmill_checks.drawing import Call, Dims, Draw, Illegal, choice, dims, happens, integer, product

MAX_PRODUCTS = 4000
"""About how many multiplications a call may cost the oracle."""


def side(draw: Draw, max_size: int = 5) -> int:
    """The size of an axis: small, 0 now and then, or beyond a tile of the kernels."""
    if happens(draw, 8):
        return 0
    return integer(draw, 1, max_size) if happens(draw, 75) else integer(draw, 6, 40)


def legal(draw: Draw) -> Call:
    """A vector or a stack of matrices on either side."""
    m, k, n = side(draw), side(draw), side(draw)
    while m * k * n > MAX_PRODUCTS:
        m, k, n = m // 2 + 1, k // 2 + 1, n // 2 + 1
    max_size = max(1, min(40, MAX_PRODUCTS // max(m * k * n, m * k, k * n, 1)))
    batch = dims(draw, choice(draw, (0, 0, 1, 1, 2, 3)), max_size)
    if product(batch) * m * k * n > 2 * MAX_PRODUCTS:
        batch = ()
    a, b = broadcast(draw, batch), broadcast(draw, batch)
    left: Dims = (k,) if happens(draw, 15) else (*a, m, k)
    right: Dims = (k,) if happens(draw, 15) else (*b, k, n)
    return Call({"A": left, "B": right})


def broadcast(draw: Draw, batch: Dims) -> Dims:
    """The axes in front on one side: some are 1, or lacking from the front."""
    own = [1 if happens(draw, 25) else dim for dim in batch]
    return tuple(own[integer(draw, 0, len(own)) if happens(draw, 30) else 0 :])


def illegal(draw: Draw) -> Illegal:
    """A scalar, sums over axes of different sizes, stacks that do not broadcast."""
    wrong = choice(draw, ("scalar", "summed", "batch"))
    m, k, n = integer(draw, 1, 4), integer(draw, 1, 4), integer(draw, 1, 4)
    if wrong == "scalar":
        shapes: list[Dims] = [(), choice(draw, ((), (1,), (k, n)))]
        if happens(draw, 50):
            shapes.reverse()
        return Illegal(Call({"A": shapes[0], "B": shapes[1]}), "ShapeError")
    if wrong == "summed":
        left: Dims = choice(draw, ((k,), (m, k), (2, m, k)))
        other = k + integer(draw, 1, 3)
        right: Dims = choice(draw, ((other,), (other, n), (2, other, n)))
        return Illegal(Call({"A": left, "B": right}), "ShapeError")
    size = integer(draw, 2, 4)
    return Illegal(Call({"A": (size, m, k), "B": (size + 1, k, n)}), "ShapeError")
