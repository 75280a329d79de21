"""Calls of the family dequantize: scales of every shape and type."""

from __future__ import annotations

from collections.abc import Mapping

from opmill_checks.drawing import (
    Call,
    Dims,
    Draw,
    Illegal,
    choice,
    dims,
    happens,
    integer,
    rank,
)

Types = Mapping[str, tuple[str, ...]]
Names = frozenset[str]
NUMBERS = {"float": 1, "float16": 10, "bfloat16": 16}


def legal(draw: Draw, *, attributes: Names, types: Types) -> Call:
    """One scale for all, for each index of an axis, or for blocks."""
    shape = dims(draw, rank(draw), 600)
    scale, given = scales(draw, shape, attributes)
    bound = {}
    if "T2" in types:
        bound["T2"] = choice(draw, types["T2"])
    if "output_dtype" in attributes and (happens(draw, 50) or bound["T2"] == "float8e8m0"):
        given["output_dtype"] = NUMBERS[choice(draw, types["T3"])]
    call = Call({"x": shape, "x_scale": scale, "x_zero_point": None}, given, bound)
    return call.but({"x_zero_point": scale}) if happens(draw, 70) else call


def scales(draw: Draw, shape: Dims, attributes: Names) -> tuple[Dims, dict[str, object]]:
    """The shape of the scales, and the attributes that say what they belong to."""
    kind = choice(draw, ("all", "axis", "blocks"))
    if kind == "all" or "axis" not in attributes or not shape:
        return choice(draw, ((), (1,))), {}
    axis = integer(draw, 0, len(shape) - 1)
    named = axis - len(shape) if happens(draw, 30) else axis
    given: dict[str, object] = {} if named == 1 else {"axis": named}
    if kind == "axis" or "block_size" not in attributes:
        return (shape[axis],), given
    block = integer(draw, 1, 5)
    blocks = -(-shape[axis] // block)
    scale = (*shape[:axis], blocks, *shape[axis + 1 :])
    if scale == (1,):
        return scale, {}
    return scale, {**given, "block_size": block}


def illegal(draw: Draw, *, attributes: Names, types: Types) -> Illegal:
    """Scales that do not fit the axis, zero points of another shape, attributes out of range."""
    bound = {"T2": "float"} if "T2" in types else {}
    call = Call({"x": (2, 6), "x_scale": (), "x_zero_point": None}, {}, bound)
    wrong = choice(draw, ("scale", "zero", "axis", "block"))
    if wrong == "axis" and "axis" in attributes:
        shape = (integer(draw, 2, 3),)
        bad = call.but({"x_scale": shape}, axis=choice(draw, (2, -3, 2**63 - 1)))
        return Illegal(bad, "AttributeValueError")
    if wrong == "block" and "block_size" in attributes:
        if happens(draw, 30):
            return Illegal(call.but(block_size=-1), "AttributeValueError")
        scale = choice(draw, ((2, 2), (2, 4), (1, 3), (3,), (2, 3, 1)))
        return Illegal(call.but({"x_scale": scale}, block_size=2), "ShapeError")
    if wrong == "zero":
        zero = choice(draw, ((2,), (1, 1), (2, 6), (0,)))
        return Illegal(call.but({"x_zero_point": zero}), "ShapeError")
    scale = choice(draw, ((2,), (5,), (7,), (0,), (2, 6), (1, 1)))
    return Illegal(call.but({"x_scale": scale}), "ShapeError")
