"""Calls of Shape and Size: every tensor and every number is legal."""

from __future__ import annotations

from opmill_checks.drawing import Call, Draw, Illegal, choice, dims, happens, integer, rank


def legal(draw: Draw, *, attributes: frozenset[str]) -> Call:
    """Any shape; ends inside and outside of the rank."""
    shape = dims(draw, rank(draw))
    ends = {
        name: integer(draw, -len(shape) - 2, len(shape) + 2)
        if happens(draw, 80)
        else choice(draw, (2**63 - 1, -(2**63), 64, -64))
        for name in sorted(attributes & {"start", "end"})
        if happens(draw, 60)
    }
    return Call({"data": shape}, ends)


def illegal(draw: Draw, *, attributes: frozenset[str]) -> Illegal:
    """The one thing that can be wrong beyond the signature: an attribute."""
    known = attributes & {"start", "end"}
    unknown = ("axis", "dtype") if known else ("start", "end", "axis")
    name = choice(draw, unknown)
    return Illegal(legal(draw, attributes=attributes).but(**{name: 1}), "AttributeValueError")
