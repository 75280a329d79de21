"""The cases of Concat and Split: the same parts and the same whole, one way and the other."""

from __future__ import annotations

from benchmarks.cases import JoinCase, Shape

_PARTS: tuple[tuple[Shape, int, int], ...] = (
    ((1024,), 2, 0),
    ((1, 256, 28, 28), 4, 1),  # the branches of an Inception block
    ((1024, 1024), 3, 0),
    ((4096, 64), 2, 1),  # runs of a few cache lines
    ((32, 100, 64), 8, 2),  # the heads of an attention
    ((100000, 3), 2, 1),  # runs that are shorter than a vector
    ((100000, 1), 4, 1),
)

MAIN = tuple(JoinCase(operator, *parts) for operator in ("Concat", "Split") for parts in _PARTS)
