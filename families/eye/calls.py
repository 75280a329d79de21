"""Calls of EyeLike: matrices, with diagonals inside and outside."""

from __future__ import annotations

from collections.abc import Mapping

from opmill_checks.drawing import Call, Draw, Illegal, choice, dims, happens, integer
from opmill_checks.value import TYPES

Types = Mapping[str, tuple[str, ...]]


def number(word: str) -> int:
    """The number of a type in TensorProto.DataType."""
    return list(TYPES).index(word) + 1


def legal(draw: Draw, *, types: Types) -> Call:
    """Any diagonal, of the type of the input or of another."""
    attributes: dict[str, int] = {}
    if happens(draw, 70):
        attributes["k"] = integer(draw, -5, 5)
    elif happens(draw, 40):
        attributes["k"] = choice(draw, (2**31, -(2**31), 2**63 - 1, -(2**63)))
    if happens(draw, 50):
        attributes["dtype"] = number(choice(draw, types["T2"]))
    return Call({"input": dims(draw, 2, 300)}, attributes)


def illegal(draw: Draw, *, types: Types) -> Illegal:
    """Another rank, or a type that is not allowed."""
    call = legal(draw, types=types)
    if happens(draw, 50):
        rank = choice(draw, (1, 3, 0, 4))
        return Illegal(call.but({"input": dims(draw, rank, 100)}), "ShapeError")
    others = [number(word) for word in TYPES if word not in types["T2"]]
    return Illegal(
        call.but(dtype=choice(draw, [*others, 0, -1, 29, 2**32 + 1])), "AttributeValueError"
    )
