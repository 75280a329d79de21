"""Calls of Tile-6 and Tile-13: one count for each axis, and what is not."""

from __future__ import annotations

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


def legal(draw: Draw) -> Call:
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


def illegal(draw: Draw) -> Illegal:
    """A legal call with one thing wrong."""
    call = legal(draw)
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
