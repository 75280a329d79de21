"""Calls of QLinearConcat: parts in scales of their own, or in that of the result."""

from __future__ import annotations

from opmill_checks.drawing import (
    Call,
    Contents,
    Dims,
    Draw,
    Illegal,
    Several,
    choice,
    dims,
    happens,
    integer,
)

SCALES = (0.5, 0.0078125, 0.05, 1.0, 0.013, 0.1)


def part(draw: Draw, shape: Dims, element: str) -> Several:
    """A tensor, its scale and its zero point."""
    low = 0 if element == "uint8" else -128
    size = 1
    for dim in shape:
        size *= dim
    items = tuple(integer(draw, low, low + 255) for _ in range(size))
    one: Dims = (1,) if happens(draw, 15) else ()
    return [
        Contents(shape, items, element),
        Contents(one, (choice(draw, SCALES),), "float"),
        Contents(one, (choice(draw, (0, 100, low, low + 255)),), element),
    ]


def legal(draw: Draw) -> Call:
    """One part or more; the axis counts from either end."""
    element = choice(draw, ("uint8", "int8"))
    shape = dims(draw, integer(draw, 1, 4), 40)
    axis = integer(draw, 0, len(shape) - 1)
    inputs: Several = []
    for _ in range(integer(draw, 1, 4)):
        own = (*shape[:axis], integer(draw, 0, 4), *shape[axis + 1 :])
        inputs += part(draw, own, element)
    _, scale, zero = part(draw, (), element) if happens(draw, 60) else inputs[:3]
    call = Call({"Y_scale": scale, "Y_zero_point": zero, "inputs": inputs}, types={"T8": element})
    return call.but(axis=axis if happens(draw, 70) else axis - len(shape))


def illegal(draw: Draw) -> Illegal:
    """A number of inputs, a shape, a type or an axis that there cannot be."""
    axis = integer(draw, 0, 1)
    first, second = part(draw, (2, 3), "uint8"), part(draw, (2, 3), "uint8")
    call = Call(
        {"Y_scale": (), "Y_zero_point": second[2], "inputs": first + second},
        {"axis": axis},
        types={"T8": "uint8"},
    )
    wrong = choice(draw, ("number", "dims", "rank", "scale", "type", "kind", "axis"))
    if wrong == "number":
        return Illegal(call.but({"inputs": first + second[: integer(draw, 1, 2)]}), "ShapeError")
    if wrong == "dims":
        shape = (2, 4) if axis == 0 else (3, 3)
        return Illegal(call.but({"inputs": first + part(draw, shape, "uint8")}), "ShapeError")
    if wrong == "rank":
        return Illegal(call.but({"inputs": first + part(draw, (6,), "uint8")}), "ShapeError")
    if wrong == "scale":
        two = Contents((2,), (0.5, 0.25), "float")
        return Illegal(call.but({"inputs": [first[0], two, *first[2:], *second]}), "ShapeError")
    if wrong == "type":
        other = part(draw, (2, 3), "int8")
        return Illegal(call.but({"inputs": first + other}), "TypeConstraintError")
    if wrong == "kind":
        inputs = [first[0], first[2], first[2], *second]
        return Illegal(call.but({"inputs": inputs}), "TypeConstraintError")
    return Illegal(call.but(axis=choice(draw, (2, -3))), "AttributeValueError")
