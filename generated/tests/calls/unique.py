"""Calls of Unique: tensors in which elements and slices repeat, and others."""

from __future__ import annotations

from math import prod
from typing import Any

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


def legal(draw: Draw, *, rule: str) -> Call:
    """Flat, or along any axis; often with few distinct elements."""
    shape = dims(draw, 1 if rule == "in_order" else rank(draw), 300)
    X: Any = shape
    if happens(draw, 60):
        high = choice(draw, (1, 2, 3))
        X = Contents(shape, tuple(integer(draw, 0, high) for _ in range(prod(shape))))
    if rule == "in_order":
        return Call({"x": X})
    given: dict[str, Any] = {}
    if shape and happens(draw, 60):
        given["axis"] = integer(draw, -len(shape), len(shape) - 1)
    if happens(draw, 50):
        given["sorted"] = choice(draw, (0, 1, 0))
    return Call({"X": X}, given)


def illegal(draw: Draw, *, rule: str) -> Illegal:
    """An axis out of range, or of a scalar; a flag that is none; not a vector."""
    if rule == "in_order":
        return Illegal(
            Call({"x": choice(draw, ((), (2, 3), (1, 1), (0, 2), (1, 2, 2)))}), "ShapeError"
        )
    shape = choice(draw, ((2, 3), (4,), (), (1, 2, 2)))
    call = Call({"X": shape})
    if happens(draw, 30):
        wrong = choice(draw, (2, -1, 2**63 - 1))
        return Illegal(call.but(sorted=wrong), "AttributeValueError")
    outside = choice(draw, (len(shape), -len(shape) - 1, 2**63 - 1, -(2**63)))
    return Illegal(call.but(axis=outside), "AttributeValueError")
