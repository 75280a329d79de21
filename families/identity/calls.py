"""Calls of Identity: every tensor is legal."""

from __future__ import annotations

from opmill_checks.drawing import Call, Draw, Illegal, choice, dims, rank


def legal(draw: Draw) -> Call:
    """Any shape."""
    return Call({"input": dims(draw, rank(draw))})


def illegal(draw: Draw) -> Illegal:
    """The one thing that can be wrong beyond the signature: an attribute."""
    name = choice(draw, ("axis", "dtype", "copy"))
    return Illegal(legal(draw).but(**{name: 1}), "AttributeValueError")
