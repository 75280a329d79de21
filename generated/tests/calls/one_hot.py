"""Calls of OneHot: indices of any numeric type, some of them out of range or with a fraction."""

from __future__ import annotations

from math import prod
from typing import Any

from opmill_checks.drawing import Call, Contents, Draw, Illegal, choice, dims, happens, integer

WHOLE = ("int64", "int32", "uint8", "int8", "uint64", "int16", "uint16", "uint32")
FLOATS = ("float", "double", "float16")
LIMITS = {"int64": (-(2**63), 2**63 - 1), "uint64": (0, 2**64 - 1), "int32": (-(2**31), 2**31 - 1)}


def index(draw: Draw, type: str, depth: int) -> Any:
    """Mostly on the axis, else next to it or as far from it as the type allows."""
    low = 0 if type[0] == "u" else -depth - 2
    position = integer(draw, low, depth + 1)
    if type in FLOATS:
        special = (float("nan"), float("inf"), float("-inf"), -0.0, 60000.0)
        return (
            choice(draw, special) if happens(draw, 8) else position + choice(draw, (0.0, 0.5, -0.5))
        )
    return choice(draw, LIMITS[type]) if type in LIMITS and happens(draw, 8) else position


def drawn(draw: Draw) -> Call:
    """Indices of one type, a depth of another."""
    type = choice(draw, (*WHOLE, *FLOATS))
    shape = dims(draw, choice(draw, (1, 2, 0, 3)) if happens(draw, 95) else 63, 200)
    depth = choice(draw, (3, 1, 0, 5, 20))
    items = tuple(index(draw, type, depth) for _ in range(prod(shape)))
    count = choice(draw, (*WHOLE, *FLOATS))
    size: Any = depth + choice(draw, (0.0, 0.5)) if count in FLOATS else depth
    rank = len(shape) + 1
    given = {"axis": integer(draw, -rank, rank - 1)} if happens(draw, 60) else {}
    inputs = {
        "indices": Contents(shape, items),
        "depth": Contents(choice(draw, ((), (1,))), (size,)),
        "values": (2,),
    }
    return Call(inputs, given, types={"T1": type, "T2": count})


def legal(draw: Draw) -> Call:
    """Any indices: those that are out of range set nothing."""
    return drawn(draw)


def illegal(draw: Draw) -> Illegal:
    """A legal call with one thing wrong."""
    call = drawn(draw)
    rank = len(call.dims_of("indices")) + 1
    wrong = choice(draw, ("axis", "depth", "two", "values", "rank"))
    if wrong == "axis":
        outside = choice(draw, (rank, -rank - 1, 2**63 - 1, -(2**63)))
        return Illegal(call.but(axis=outside), "AttributeValueError")
    if wrong == "depth":
        type = choice(draw, ("int64", "int8", "double"))
        below = Contents((), (choice(draw, (-1, -100)),))
        changed = Call({**call.inputs, "depth": below}, call.attributes, {**call.types, "T2": type})
    elif wrong == "two":
        changed = call.but({"depth": Contents((2,), (1, 1))})
    elif wrong == "values":
        changed = call.but({"values": choice(draw, ((1,), (3,), ()))})
    else:
        changed = call.but({"values": (2, 1)})
    return Illegal(changed, "ShapeError")
