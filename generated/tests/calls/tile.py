"""Calls of Tile: a count for each axis or, in version 1, a count and an axis."""

from __future__ import annotations

import math

from opmill_checks.drawing import (
    HUGE,
    Call,
    Contents,
    Draw,
    Illegal,
    bounded,
    choice,
    dims,
    happens,
    integer,
    rank,
    vector,
)

WHERE = ((1,), (), (1, 1))
"""The shapes that hold one value."""


def legal(draw: Draw, *, rule: str) -> Call:
    """A call as the rule of the version takes it."""
    return legal_repeats(draw) if rule == "all_axes" else legal_tiles(draw)


def illegal(draw: Draw, *, rule: str) -> Illegal:
    """A legal call with one thing wrong."""
    return illegal_repeats(draw) if rule == "all_axes" else illegal_tiles(draw)


def legal_repeats(draw: Draw) -> Call:
    """Counts that are mostly small, 0 and 1 among them."""
    source = dims(draw, rank(draw), 400)
    counts = [choice(draw, (1, 2, 0, 3)) for _ in source]
    if counts and happens(draw, 15):
        counts[integer(draw, 0, len(counts) - 1)] = integer(draw, 4, 40)
    sizes = [max(dim, 1) * count for dim, count in zip(source, counts, strict=True)]
    for axis, size in enumerate(bounded(sizes, 4000)):
        if size != sizes[axis]:
            counts[axis] = 1
    return Call({"input": source, "repeats": vector(counts)})


def illegal_repeats(draw: Draw) -> Illegal:
    """A legal call with one thing wrong."""
    call = legal_repeats(draw)
    source, counts = call.dims_of("input"), call.items_of("repeats")
    wrong = choice(draw, ("short", "long", "negative", "signs", "matrix", "dim", "total"))
    if wrong in ("negative", "signs", "dim", "total") and len(source) < 2:
        source, counts = (2, 3), [1, 1]
    if wrong == "short" and counts:
        changed = vector(counts[1:])
    elif wrong in ("short", "long"):
        changed = vector([1, *counts])
    elif wrong == "negative":  # an empty output does not excuse it
        counts[integer(draw, 0, len(counts) - 1)] = choice(draw, (-1, -2, -(2**63)))
        changed = vector(counts)
    elif wrong == "signs":  # their product is positive
        counts[:2] = choice(draw, ((-1, -2), (-(2**62), -4)))
        changed = vector(counts)
    elif wrong == "matrix":
        changed = Contents((1, len(counts)), tuple(counts))
    elif wrong == "dim":
        source = (2, *source[1:])
        changed = vector([choice(draw, HUGE[2:]), *counts[1:]])
    else:  # each dim fits, their product does not, whatever an empty axis makes of it
        source = (1, 1, *source[2:])
        changed = vector([2**32, 2**31, *counts[2:]])
    return Illegal(call.but({"input": source, "repeats": changed}), "ShapeError")


def legal_tiles(draw: Draw) -> Call:
    """An axis from either end."""
    source = dims(draw, max(rank(draw), 1), 400)
    axis = integer(draw, -len(source), len(source) - 1)
    count = choice(draw, (2, 1, 0, 3, 9))
    return Call({"input": source, "tiles": one(draw, float(count)), "axis": one(draw, float(axis))})


def illegal_tiles(draw: Draw) -> Illegal:
    """A legal call with one thing wrong."""
    call = legal_tiles(draw)
    source = call.dims_of("input")
    wrong = choice(draw, ("size", "whole", "negative", "axis", "rank"))
    name = choice(draw, ("tiles", "axis"))
    if wrong == "size":
        shape, items = choice(draw, (((0,), ()), ((2,), (1.0, 1.0)), ((1, 3), (1.0,) * 3)))
        changed = call.but({name: Contents(shape, items)})
    elif wrong == "whole":
        invalid = choice(draw, (0.5, -1.5, math.nan, math.inf, -math.inf))
        changed = call.but({name: one(draw, invalid)})
    elif wrong == "negative":
        changed = call.but({"tiles": one(draw, choice(draw, (-1.0, -2.0, -1024.0)))})
    elif wrong == "axis":
        outside = choice(draw, (len(source), -len(source) - 1, 1024, -1024))
        changed = call.but({"axis": one(draw, float(outside))})
    else:
        changed = call.but({"input": ()})
    return Illegal(changed, "ShapeError")


def one(draw: Draw, value: float) -> Contents:
    """A tensor of one value."""
    return Contents(choice(draw, WHERE), (value,))
