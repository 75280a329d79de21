"""Calls of Tile-1: a count and an axis, each a tensor of one whole number."""

from __future__ import annotations

import math

from opmill_checks.drawing import Call, Contents, Draw, Illegal, choice, dims, integer, rank

WHERE = ((1,), (), (1, 1))
"""The shapes that hold one value."""


def legal(draw: Draw) -> Call:
    """An axis from either end."""
    source = dims(draw, max(rank(draw), 1), 400)
    axis = integer(draw, -len(source), len(source) - 1)
    count = choice(draw, (2, 1, 0, 3, 9))
    return Call({"input": source, "tiles": one(draw, float(count)), "axis": one(draw, float(axis))})


def illegal(draw: Draw) -> Illegal:
    """A legal call with one thing wrong."""
    call = legal(draw)
    source = call.dims_of("input")
    wrong = choice(draw, ("size", "whole", "negative", "axis", "rank"))
    name = choice(draw, ("tiles", "axis"))
    if wrong == "size":
        shape, items = choice(draw, (((0,), ()), ((2,), (1.0, 1.0)), ((1, 3), (1.0,) * 3)))
        changed = call.but({name: Contents(shape, items)})
    elif wrong == "whole":
        odd = choice(draw, (0.5, -1.5, math.nan, math.inf, -math.inf))
        changed = call.but({name: one(draw, odd)})
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
