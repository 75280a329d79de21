"""Calls of ConstantOfShape: shapes of any rank with a value of any type, or without one."""

from __future__ import annotations

from collections.abc import Mapping

from opmill_checks.drawing import (
    HUGE,
    Call,
    Contents,
    Draw,
    Illegal,
    choice,
    dims,
    happens,
    integer,
    rank,
    vector,
)
from opmill_checks.value import TYPES, Value, array_of_bits, items_of

Types = Mapping[str, tuple[str, ...]]


def element(draw: Draw, type: str, shape: tuple[int, ...]) -> Value:
    """One element with any bits that are one of the type."""
    width = TYPES[type].width
    pattern = integer(draw, 0, 1 if type == "bool" else 2**width - 1)
    items = items_of(array_of_bits(type, [pattern]))
    return Value(type, shape, items, (pattern,))


def legal(draw: Draw, *, types: Types) -> Call:
    """A value of one element, of rank 0 to 3."""
    shape = dims(draw, rank(draw), 500)
    attributes = {}
    if happens(draw, 80):
        type = choice(draw, types["T2"])
        attributes["value"] = element(draw, type, choice(draw, ((1,), (), (1, 1), (1, 1, 1))))
    return Call({"input": vector(shape)}, attributes)


def illegal(draw: Draw, *, types: Types) -> Illegal:
    """A dim below 0, dims that overflow, an input of another rank, a value of another kind."""
    call = legal(draw, types=types)
    shape = call.items_of("input")
    fault = choice(draw, ("negative", "overflow", "rank", "count", "type"))
    if fault == "negative":
        shape.insert(integer(draw, 0, len(shape)), choice(draw, (-1, -(2**63), -(2**32))))
        return Illegal(
            call.but({"input": vector(shape[:64] if -1 in shape[:64] else [-1])}), "ShapeError"
        )
    if fault == "overflow":
        return Illegal(
            call.but({"input": vector([*shape[:8], choice(draw, HUGE[2:]), 2**32])}), "ShapeError"
        )
    if fault == "rank":
        given = Contents((), (3,)) if happens(draw, 50) else Contents((1, 2), (2, 3))
        return Illegal(call.but({"input": given}), "ShapeError")
    if fault == "count":
        shape = choice(draw, ((2,), (0,), (1, 0), (2, 2)))
        count = shape[0] * (shape[1] if len(shape) > 1 else 1)
        value = Value("float", shape, (1.0,) * count)
        return Illegal(call.but(value=value), "AttributeValueError")
    others = [word for word in TYPES if word not in types["T2"] and word != "string"]
    return Illegal(call.but(value=element(draw, choice(draw, others), (1,))), "AttributeValueError")
