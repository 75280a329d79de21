"""Calls of operators that compute each element by itself: every shape is legal."""

from __future__ import annotations

from opmill_checks.drawing import Call, Draw, Illegal, choice, dims, happens, integer, rank


def legal(draw: Draw, *, attributes: frozenset[str]) -> Call:
    """Any shape; `consumed_inputs` may say anything."""
    call = Call({"X": dims(draw, rank(draw))})
    if "consumed_inputs" in attributes and happens(draw, 50):
        return call.but(consumed_inputs=choice(draw, ([0], [], [1], [7, -1, 0])))
    return call


def illegal(draw: Draw, *, attributes: frozenset[str]) -> Illegal:
    """The one thing that can be wrong beyond the signature: an attribute that there is not."""
    call = legal(draw, attributes=attributes)
    name = choice(draw, ("alpha", "axis", "consumed_input"))
    return Illegal(call.but(**{name: integer(draw, 0, 1)}), "AttributeValueError")
