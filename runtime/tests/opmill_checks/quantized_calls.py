"""Shapes of quantized matrices that are multiplied, and of the scales of their rows and columns."""

from __future__ import annotations

from dataclasses import dataclass

from opmill_checks.drawing import Dims, Draw, choice, dims, happens, integer, product

MAX_PRODUCTS = 4000
"""About how many multiplications a call may cost the oracle."""


@dataclass(frozen=True)
class Factors:
    """The shapes of two factors."""

    a: Dims
    b: Dims

    @property
    def row_shapes(self) -> tuple[Dims, ...]:
        """The possible shapes of a value for all rows of A, or for each."""
        if len(self.a) < 2:
            return ((), (1,))
        return ((), (1,), self.a[-2:-1], (*self.a[:-1], 1))

    @property
    def column_shapes(self) -> tuple[Dims, ...]:
        if len(self.b) < 2:
            return ((), (1,))
        return ((), (1,), self.b[-1:], (*self.b[:-2], 1, self.b[-1]))


def factors(draw: Draw) -> Factors:
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
    return Factors(left, right)


def side(draw: Draw) -> int:
    """The size of an axis: small, 0 now and then, or beyond a tile of the kernels."""
    if happens(draw, 8):
        return 0
    return integer(draw, 1, 5) if happens(draw, 75) else integer(draw, 6, 40)


def broadcast(draw: Draw, batch: Dims) -> Dims:
    """The axes in front on one side: some are 1, or lacking from the front."""
    own = [1 if happens(draw, 25) else dim for dim in batch]
    return tuple(own[integer(draw, 0, len(own)) if happens(draw, 30) else 0 :])


def broadcast_pair(draw: Draw, m: int, k: int, n: int) -> tuple[Dims, Dims]:
    """Two factors of which at most one is a stack."""
    stack = choice(draw, ((), (), (2,)))
    return ((*stack, m, k), (k, n)) if happens(draw, 50) else ((m, k), (*stack, k, n))


def not_fitting(draw: Draw) -> tuple[Dims, Dims]:
    """A scalar, sums over axes of different sizes, stacks that do not broadcast."""
    m, k, n = integer(draw, 1, 4), integer(draw, 1, 4), integer(draw, 1, 4)
    other = k + integer(draw, 1, 3)
    size = integer(draw, 2, 4)
    return choice(
        draw,
        (
            ((), (k, n)),
            ((m, k), ()),
            ((m, k), (other, n)),
            ((k,), (other,)),
            ((2, m, k), (2, other, n)),
            ((size, m, k), (size + 1, k, n)),
        ),
    )
