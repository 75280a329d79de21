"""Calls of normalisations of a sum: two terms of one shape, or one that is shared by a batch."""

from __future__ import annotations

from collections.abc import Sequence

from opmill_checks.drawing import Call, Draw, Illegal, choice, happens, integer


def legal(draw: Draw, *, inputs: Sequence[str]) -> Call:
    """Matrices or stacks of them, with a bias and a beta or without."""
    length, rows = integer(draw, 1, 9), integer(draw, 0, 4)
    batch = integer(draw, 0, 3)
    shape = (rows, length) if happens(draw, 30) else (batch, rows, length)
    skips = [shape] if len(shape) == 2 else [shape, shape, (1, *shape[1:]), shape[1:]]
    call = Call({"input": shape, "skip": choice(draw, skips), "gamma": (length,)})
    if "beta" in inputs:
        call = call.but({"beta": (length,) if happens(draw, 70) else None})
    call = call.but({"bias": (length,) if happens(draw, 50) else None})
    return call.but(epsilon=0.25) if happens(draw, 30) else call


def illegal(draw: Draw, *, inputs: Sequence[str]) -> Illegal:
    """A rank, a term, a vector or an epsilon that there cannot be."""
    call = legal(draw, inputs=inputs)
    shape = call.dims_of("input")
    length = shape[-1]
    wrong = choice(draw, ("rank", "skip", "vector", "epsilon", "empty"))
    if wrong == "rank":
        return Illegal(
            call.but({"input": (1, *shape, 1)[:4] if len(shape) == 3 else (length,)}), "ShapeError"
        )
    if wrong == "skip":
        return Illegal(call.but({"skip": (*shape[:-1], length + 1)}), "ShapeError")
    if wrong == "vector":
        name = choice(draw, [one for one in ("gamma", "beta", "bias") if one in inputs])
        return Illegal(call.but({name: (length + 1,)}), "ShapeError")
    if wrong == "epsilon":
        return Illegal(call.but(epsilon=-0.5), "AttributeValueError")
    empty = (*shape[:-1], 0)
    return Illegal(call.but({"input": empty, "skip": empty, "gamma": (0,)}), "ShapeError")
