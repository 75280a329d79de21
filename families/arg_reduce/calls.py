"""Calls of ArgMax and ArgMin: any axis that has elements."""

from __future__ import annotations

from opmill_checks.drawing import Call, Draw, Illegal, choice, dims, happens, integer

Names = frozenset[str]


def legal(draw: Draw, *, attributes: Names) -> Call:
    """Other axes may be empty."""
    shape = list(dims(draw, choice(draw, (1, 2, 3, 4, 64))))
    axis = integer(draw, -len(shape), len(shape) - 1)
    shape[axis] = max(shape[axis], 1)
    flags = [name for name in ("keepdims", "select_last_index") if name in attributes]
    given = {name: integer(draw, 0, 1) for name in flags if happens(draw, 60)}
    call = Call({"data": tuple(shape)}, given)
    return call if axis == 0 and happens(draw, 50) else call.but(axis=axis)


def illegal(draw: Draw, *, attributes: Names) -> Illegal:
    """A scalar, an axis out of range, an empty one, or a flag that is none."""
    call = legal(draw, attributes=attributes)
    shape = list(call.dims_of("data"))
    wrong = choice(draw, ("scalar", "axis", "empty", "flag"))
    if wrong == "scalar":
        return Illegal(call.but({"data": ()}), "AttributeValueError")
    if wrong == "axis":
        axis = choice(draw, (len(shape), -len(shape) - 1, 2**63 - 1, -(2**63)))
        return Illegal(call.but(axis=axis), "AttributeValueError")
    if wrong == "empty":
        shape[call.attributes.get("axis", 0)] = 0
        return Illegal(call.but({"data": tuple(shape)}), "ShapeError")
    name = choice(draw, [one for one in ("keepdims", "select_last_index") if one in attributes])
    return Illegal(call.but(**{name: choice(draw, (2, -1, 2**40))}), "AttributeValueError")
