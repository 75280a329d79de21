"""Calls of the family quantize: scales of every shape, and numbers around ties and limits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

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
    product,
    rank,
)

Types = Mapping[str, tuple[str, ...]]
Names = frozenset[str]
NUMBERS = (0.5, 1.5, -2.5, 3, 100, -129, 300.5, 70000, 0.1, -0.0, float("inf"), float("nan"))
FLOATS = ("float", "float16", "bfloat16")
NAMES = (
    *("float", "uint8", "int8", "uint16", "int16", "int32", "int64", "string", "bool", "float16"),
    *("double", "uint32", "uint64", "complex64", "complex128", "bfloat16", "float8e4m3fn"),
    *("float8e4m3fnuz", "float8e5m2", "float8e5m2fnuz", "uint4", "int4", "float4e2m1"),
    *("float8e8m0", "uint2", "int2", "float6e2m3", "float6e3m2"),
)
SCALES = (1, 2, 0.5, 0.1, 3, 0, 1e-3)


def legal(draw: Draw, *, attributes: Names, types: Types) -> Call:
    """One scale for all, for each index of an axis, or for blocks."""
    shape = dims(draw, rank(draw), 400)
    scale, given = scales(draw, shape, attributes)
    narrow = "T3" if "T3" in types else "T2"
    word = choice(draw, types[narrow])
    has_zero = happens(draw, 70)
    numbers: dict[str, object] = dict(given)
    if "output_dtype" in attributes and happens(draw, 50):
        numbers["output_dtype"] = NAMES.index(word) + 1
    if "precision" in attributes and happens(draw, 40):
        numbers["precision"] = choice(draw, (0, 1, 10, 16))
    if "saturate" in attributes and happens(draw, 40):
        numbers["saturate"] = choice(draw, (0, 1, 2))
    bound = {narrow: word} if has_zero else {}
    call = Call({"x": shape, "y_scale": scale, "y_zero_point": None}, numbers, bound)
    if has_zero:
        call = call.but({"y_zero_point": scale})
    if happens(draw, 60) and product(shape) <= 60 and 0 not in (*shape, *scale):
        x = tuple(choice(draw, NUMBERS) for _ in range(product(shape)))
        y = tuple(choice(draw, SCALES) for _ in range(product(scale)))
        call = call.but({"x": Contents(shape, x), "y_scale": Contents(scale, y)})
        for name in sorted({"T1", "T2"} - {narrow}):
            bound[name] = choice(draw, [word for word in FLOATS if word in types[name]])
        call = replace(call, types=bound)
    return call


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
    call = Call({"x": (2, 6), "y_scale": (), "y_zero_point": None})
    wrong = choice(draw, ("scale", "zero", "axis", "block", "named"))
    if wrong == "axis" and "axis" in attributes:
        shape = (integer(draw, 2, 3),)
        bad = call.but({"y_scale": shape}, axis=choice(draw, (2, -3, 2**63 - 1)))
        return Illegal(bad, "AttributeValueError")
    if wrong == "block" and "block_size" in attributes:
        if happens(draw, 30):
            return Illegal(call.but(block_size=-1), "AttributeValueError")
        scale = choice(draw, ((2, 2), (2, 4), (1, 3), (3,), (2, 3, 1)))
        return Illegal(call.but({"y_scale": scale}, block_size=2), "ShapeError")
    if wrong == "named" and "precision" in attributes:
        return Illegal(call.but(precision=choice(draw, (-1, 2, 6, 11, 24))), "AttributeValueError")
    if wrong == "zero":
        zero = choice(draw, ((2,), (1, 1), (2, 6), (0,)))
        return Illegal(call.but({"y_zero_point": zero}), "ShapeError")
    scale = choice(draw, ((2,), (5,), (7,), (0,), (2, 6), (1, 1)))
    return Illegal(call.but({"y_scale": scale}), "ShapeError")
