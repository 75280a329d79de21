"""Calls of ArrayFeatureExtractor: indices of any shape, now and then one out of range."""

from __future__ import annotations

from math import prod

from opmill_checks.drawing import (
    Call,
    Contents,
    Draw,
    Illegal,
    choice,
    dims,
    happens,
    integer,
    rank,
)

OUTSIDE = (-1, -(2**63), 2**31, 2**63 - 1)


def legal(draw: Draw) -> Call:
    """Indices in range; now and then one that the kernels must refuse."""
    source = dims(draw, max(1, rank(draw)), 300)
    shape = dims(draw, choice(draw, (1, 0, 2, 3)), 12)
    size = source[-1]
    if size == 0 and happens(draw, 80):
        shape = (*shape[:-1], 0)
    items = [integer(draw, 0, max(size - 1, 0)) for _ in range(prod(shape))]
    if items and happens(draw, 8):
        items[integer(draw, 0, len(items) - 1)] = choice(draw, (*OUTSIDE, size))
    return Call({"X": source, "Y": Contents(shape, tuple(items))})


def illegal(draw: Draw) -> Illegal:
    """A scalar to select from."""
    return Illegal(legal(draw).but({"X": ()}), "ShapeError")
