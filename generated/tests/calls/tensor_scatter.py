"""Calls of TensorScatter: updates that fit, in either mode."""

from __future__ import annotations

from typing import Any

from opmill_checks.drawing import Call, Draw, Illegal, choice, dims, happens, integer, vector


def legal(draw: Draw) -> Call:
    """Positions in range, or any where they are circular; now and then one to be refused."""
    past = dims(draw, choice(draw, (3, 2, 4, 5)), 400)
    axis = integer(draw, 1, len(past) - 1)
    length = integer(draw, 0, past[axis])
    update = (*past[:axis], length, *past[axis + 1 :])
    circular = happens(draw, 50)
    given: dict[str, Any] = {"mode": "circular"} if circular else {}
    if axis != len(past) - 2 or happens(draw, 30):
        given["axis"] = axis - len(past) if happens(draw, 50) else axis
    max_begin = past[axis] - length
    begins = [integer(draw, 0, max_begin) for _ in range(past[0])]
    if begins and (circular or happens(draw, 10)):
        wrong = choice(draw, (max_begin + 1, -1, 2**32, 2**63 - 1, -(2**63)))
        begins[integer(draw, 0, len(begins) - 1)] = wrong
    written = None if happens(draw, 15) else vector(begins)
    return Call({"past_cache": past, "update": update, "write_indices": written}, given)


def illegal(draw: Draw) -> Illegal:
    """A legal call with one thing wrong that the shapes or an attribute show."""
    call = legal(draw)
    past, update = call.dims_of("past_cache"), call.dims_of("update")
    axis = call.attributes.get("axis", -2) % len(past)
    wrong = choice(draw, ("axis", "batch", "mode", "rank", "long", "other", "count"))
    if wrong == "axis":
        outside = choice(draw, (len(past), -len(past) - 1, 2**63 - 1, -(2**63)))
        return Illegal(call.but(axis=outside), "AttributeValueError")
    if wrong == "batch":
        return Illegal(call.but(axis=choice(draw, (0, -len(past)))), "AttributeValueError")
    if wrong == "mode":
        return Illegal(call.but(mode=choice(draw, ("", "Linear"))), "AttributeValueError")
    if wrong == "rank":
        changed = call.but({"update": (*update, 1)})
    elif wrong == "long":
        longer = (*update[:axis], past[axis] + 1, *update[axis + 1 :])
        changed = call.but({"update": longer})
    elif wrong == "other":
        changed = call.but({"update": (past[0] + 1, *update[1:])})
    else:
        changed = call.but({"write_indices": vector([0] * (past[0] + 1))})
    return Illegal(changed, "ShapeError")
