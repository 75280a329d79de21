"""Calls of Gather and GatherND: indices from either end, now and then one out of range."""

from __future__ import annotations

from math import prod

from opmill_checks.drawing import (
    Call,
    Contents,
    Dims,
    Draw,
    Illegal,
    choice,
    dims,
    happens,
    integer,
    rank,
)

OUTSIDE = (0, 1, 2**15, 2**30)
"""How far an index is beyond the end; some of them so far that narrow sums wrap around."""


def legal(draw: Draw, *, rule: str, attributes: frozenset[str]) -> Call:
    """Indices in range; now and then one that the kernels must refuse."""
    return one_axis(draw) if rule == "one_axis" else tuples(draw, "batch_dims" in attributes)


def one_axis(draw: Draw) -> Call:
    """Positions of one axis."""
    source = dims(draw, max(1, rank(draw)), 300)
    axis = integer(draw, -len(source), len(source) - 1)
    free = 64 - (len(source) - 1)
    shape = dims(draw, min(choice(draw, (1, 0, 2, 3)), free), 12)
    size = source[axis]
    if size == 0 and happens(draw, 80):
        shape = (*shape[:-1], 0) if shape else (0,)[: min(1, free)]
    given = {"axis": axis} if axis != 0 or happens(draw, 20) else {}
    return Call({"data": source, "indices": selected(draw, shape, (size,))}, given)


def tuples(draw: Draw, batches: bool) -> Call:
    """Rows that select slices, after batch axes."""
    source = dims(draw, max(1, choice(draw, (1, 2, 3, 4, 5))), 300)
    shared = integer(draw, 0, len(source) - 1) if batches and happens(draw, 60) else 0
    width = integer(draw, 1, len(source) - shared)
    shape = source[:shared] + dims(draw, choice(draw, (1, 0, 2)), 8)
    sizes = source[shared : shared + width]
    if 0 in sizes and 0 not in shape and happens(draw, 80):
        shape = (*shape, 0)
    given = {"batch_dims": shared} if shared or (batches and happens(draw, 20)) else {}
    return Call({"data": source, "indices": selected(draw, (*shape, width), sizes)}, given)


def selected(draw: Draw, shape: Dims, sizes: Dims) -> Contents:
    """Indices whose last axis goes through the sizes of axes."""
    items = []
    for position in range(prod(shape)):
        size = sizes[position % len(sizes)]
        items.append(integer(draw, -size, size - 1) if size else 0)
    if items and happens(draw, 8):
        position = integer(draw, 0, len(items) - 1)
        beyond = choice(draw, OUTSIDE)
        size = sizes[position % len(sizes)]
        items[position] = size + beyond if happens(draw, 50) else -size - 1 - beyond
    return Contents(shape, tuple(items))


def illegal(draw: Draw, *, rule: str, attributes: frozenset[str]) -> Illegal:
    """A legal call with one thing wrong that the shapes or an attribute show."""
    if rule == "one_axis":
        call = one_axis(draw)
        source = call.dims_of("data")
        if happens(draw, 30):
            scalar = call.but({"data": (), "indices": Contents((1,), (0,))})
            return Illegal(scalar, "AttributeValueError")
        if happens(draw, 20):
            wide = {"data": (1,) * 33, "indices": Contents((1,) * 33, (0,))}
            return Illegal(Call(wide), "ShapeError")
        wrong = choice(draw, (len(source), -len(source) - 1, 2**63 - 1, -(2**63)))
        return Illegal(call.but(axis=wrong), "AttributeValueError")
    call = tuples(draw, "batch_dims" in attributes)
    source, shape = call.dims_of("data"), call.dims_of("indices")
    if "batch_dims" in attributes and happens(draw, 50):
        if happens(draw, 30):
            unlike = {"data": (3, 2), "indices": Contents((2, 1), (0, 0))}
            return Illegal(Call(unlike, {"batch_dims": 1}), "ShapeError")
        limit = min(len(source), len(shape))
        wrong = choice(draw, (-1, limit, limit + 1, 2**63 - 1, -(2**63)))
        return Illegal(call.but(batch_dims=wrong), "AttributeValueError")
    plain = call.but(batch_dims=None)
    kind = choice(draw, ("scalar", "data", "none", "many", "rank"))
    if kind == "scalar":
        changed = plain.but({"indices": Contents((), (0,))})
    elif kind == "data":
        changed = plain.but({"data": ()})
    elif kind == "none":
        changed = plain.but({"indices": Contents((2, 0), ())})
    elif kind == "many":
        changed = plain.but({"indices": Contents((1, len(source) + 1), (0,) * (len(source) + 1))})
    else:
        changed = Call({"data": (1,) * 33, "indices": Contents((1,) * 34, (0,))})
    return Illegal(changed, "ShapeError")
