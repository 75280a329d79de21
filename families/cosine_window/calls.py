"""Calls of windows: of any type, periodic or symmetric, short and long."""

from __future__ import annotations

from collections.abc import Mapping

from opmill_checks.drawing import Call, Contents, Draw, Illegal, choice, happens, integer
from opmill_checks.value import TYPES

Types = Mapping[str, tuple[str, ...]]


def number(word: str) -> int:
    """The number of a type in TensorProto.DataType."""
    return list(TYPES).index(word) + 1


def legal(draw: Draw, *, types: Types) -> Call:
    """A size, mostly a small one."""
    size = integer(draw, 0, 12) if happens(draw, 70) else integer(draw, 13, 600)
    attributes: dict[str, int] = {}
    if happens(draw, 60):
        attributes["periodic"] = choice(draw, (0, 1, 0, 1, 0, 2, -1))
    if happens(draw, 60):
        attributes["output_datatype"] = number(choice(draw, types["T2"]))
    return Call({"size": Contents((), (size,))}, attributes)


def illegal(draw: Draw, *, types: Types) -> Illegal:
    """A size below 0, several sizes, or a type that is not allowed."""
    call = legal(draw, types=types)
    if happens(draw, 30):
        others = [number(word) for word in TYPES if word not in types["T2"]]
        wrong = choice(draw, [*others, -1, 29])
        return Illegal(call.but(output_datatype=wrong), "AttributeValueError")
    sizes = choice(
        draw,
        (
            Contents((), (-1,)),
            Contents((), (-(2**31),)),
            Contents((2,), (3, 3)),
            Contents((0,), ()),
            Contents((1, 1), (3,)),
        ),
    )
    return Illegal(call.but({"size": sizes}), "ShapeError")
