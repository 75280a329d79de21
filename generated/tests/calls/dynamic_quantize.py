"""Calls of DynamicQuantizeLinear: any shape, and numbers on one side of 0, equal, or huge."""

from __future__ import annotations

from opmill_checks.drawing import (
    Call,
    Contents,
    Draw,
    Illegal,
    choice,
    dims,
    happens,
    product,
    rank,
)

NUMBERS = (0.0, -0.0, 1, -1, 0.5, 2.5, 127.5, 255, -3.75, 1e-3, 100, 1e38, -3e38)
RARE = (float("inf"), float("-inf"), float("nan"), 1e-45, 3.4e38)


def legal(draw: Draw) -> Call:
    """A tensor; half of them with numbers from one side or with special ones."""
    shape = dims(draw, rank(draw), 400)
    if happens(draw, 50) or 0 in shape or product(shape) > 60:
        return Call({"x": shape})
    numbers = [number for number in NUMBERS if happens(draw, 50)] or [choice(draw, NUMBERS)]
    if happens(draw, 30):
        numbers = [abs(number) for number in numbers]
    if happens(draw, 10):
        numbers.append(choice(draw, RARE))
    return Call({"x": Contents(shape, tuple(choice(draw, numbers) for _ in range(product(shape))))})


def illegal(draw: Draw) -> Illegal:
    """The one thing that can be wrong beyond the signature: an attribute."""
    name = choice(draw, ("axis", "to", "saturate"))
    return Illegal(legal(draw).but(**{name: 1}), "AttributeValueError")
