"""Tools for drawing calls of families that cut a tensor into parts."""

from __future__ import annotations

from opmill_checks.drawing import Dims, Draw, choice, dims, happens, integer, rank


def whole(draw: Draw) -> tuple[Dims, int]:
    """A tensor that can be cut, and the axis."""
    shape = dims(draw, max(1, rank(draw)), 500)
    return shape, integer(draw, 0, len(shape) - 1)


def cut(draw: Draw, size: int) -> list[int]:
    """The lengths of one to five parts, some of them 0."""
    lengths = []
    for _ in range(choice(draw, (1, 2, 0, 4))):
        lengths.append(integer(draw, 0, size - sum(lengths)))
    return [*lengths, size - sum(lengths)]


def with_dim(shape: Dims, axis: int, dim: int) -> Dims:
    """The shape with another dim."""
    return (*shape[:axis], dim, *shape[axis + 1 :])


def said(draw: Draw, shape: Dims, axis: int) -> dict[str, int]:
    """The attribute that names the axis; at times unsaid where it is 0, or from the end."""
    if axis == 0 and happens(draw, 30):
        return {}
    return {"axis": axis - len(shape) if happens(draw, 40) else axis}


def wrong_lengths(draw: Draw, size: int) -> list[int]:
    """Two lengths that do not make the axis: the sum, or the sign of one is wrong."""
    kind = choice(draw, ("short", "long", "negative"))
    if kind == "negative":
        return [size + 1, -1]
    return [size, 1] if kind == "long" or size == 0 else [size - 1, 0]


def wrong_axis(draw: Draw, shape: Dims) -> int:
    """An axis that there is not."""
    return choice(draw, (len(shape), -len(shape) - 1, 2**31, 2**63 - 1))
