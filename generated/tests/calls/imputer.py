"""Calls of Imputer: elements of which some equal the replaced value, of each type."""

from __future__ import annotations

from math import nan
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

REALS = (0.0, 1.0, -2.5, nan, 0.1)
WHOLES = (0, 1, -3, 2**31 - 1, -(2**31))


def legal(draw: Draw) -> Call:
    """One value or one for each feature; the replaced value is sometimes the default."""
    shape = dims(draw, max(rank(draw), 1), 200)
    length = choice(draw, (1, shape[-1]))
    type_ = choice(draw, ("float", "double", "int32", "int64"))
    is_float = type_ in ("float", "double")
    values: Any = REALS if is_float else WHOLES
    size = 1
    for dim in shape:
        size *= dim
    items = tuple(choice(draw, values) for _ in range(size))
    given: dict[str, Any] = {
        "imputed_value_floats" if is_float else "imputed_value_int64s": [
            choice(draw, values) for _ in range(length)
        ]
    }
    if happens(draw, 70):
        name = "replaced_value_float" if is_float else "replaced_value_int64"
        given[name] = choice(draw, (*values, *(() if is_float else (2**40,))))
    return Call({"X": Contents(shape, items)}, given, {"T": type_})


def illegal(draw: Draw) -> Illegal:
    """A scalar, a list of another length, of the other kind, both, or none; a value too large."""
    call = legal(draw)
    shape = call.dims_of("X")
    floats, integers = "imputed_value_floats", "imputed_value_int64s"
    own, other = (floats, integers) if floats in call.attributes else (integers, floats)
    kind = choice(draw, ("scalar", "length", "other", "both", "none", "large"))
    if kind == "scalar":
        return Illegal(call.but({"X": Contents((), (1,))}), "ShapeError")
    if kind == "length":
        length = shape[-1] + integer(draw, 2, 4)
        return Illegal(call.but(**{own: [1] * length}), "AttributeValueError")
    if kind == "both":
        return Illegal(call.but(**{other: [1]}), "AttributeValueError")
    if kind == "other":
        return Illegal(call.but(**{own: None, other: [1]}), "AttributeValueError")
    if kind == "none":
        return Illegal(call.but(**{own: None}), "AttributeValueError")
    large = {integers: [choice(draw, (2**31, -(2**63)))]}
    return Illegal(Call({"X": Contents((1,), (1,))}, large, {"T": "int32"}), "AttributeValueError")
