"""Calls of Range: of some length in either direction, empty, and at the ends of their types."""

from __future__ import annotations

import math

from opmill_checks.drawing import Call, Contents, Draw, Illegal, choice, happens, integer

INTEGERS = {"int16": 15, "int32": 31, "int64": 63}


def legal(draw: Draw, *, rule: str, attributes: frozenset[str]) -> Call:
    """A range; where its step is optional and 1, it is absent now and then."""
    drawn = spelled_out(draw, attributes)
    one = rule == "optional_step" and drawn.items_of("delta") == [1]
    return drawn.but({"delta": None}) if one and happens(draw, 60) else drawn


def spelled_out(draw: Draw, attributes: frozenset[str]) -> Call:
    """Small whole numbers of any type, fractions, or integers at the ends of their type."""
    kind = choice(draw, ("whole", "whole", "fractions", "ends", "infinite"))
    stash = {"stash_type": choice(draw, (1, 11))} if attributes and happens(draw, 40) else {}
    if kind == "whole":
        start, delta = integer(draw, -20, 20), choice(draw, (1, 2, 3, -1, -2, 7))
        limit = start + integer(draw, -3, 12) * delta + choice(draw, (0, 0, 1, -1))
        return call(draw, start, limit, delta, {}, stash)
    if kind == "fractions":
        start = choice(draw, (0.0, 0.1, -3.5, 1e6, -0.0, 1e-40))
        delta = choice(draw, (0.1, 0.3, -0.1, 1 / 3, -2.5))
        limit = start + delta * integer(draw, -3, 300) + choice(draw, (0.0, 0.05))
        return call(draw, start, limit, delta, {"T": choice(draw, ("double", "float"))}, stash)
    if kind == "infinite":
        start, limit, delta = choice(
            draw, ((1.0, 5.0, math.inf), (1.0, 5.0, -math.inf), (5.0, 5.0, -math.inf))
        )
        return call(draw, start, limit, delta, {"T": choice(draw, ("double", "float"))}, stash)
    type = choice(draw, tuple(INTEGERS))
    low, high = -(2 ** INTEGERS[type]), 2 ** INTEGERS[type] - 1
    large = high // integer(draw, 1, 40)
    start, limit, delta = choice(
        draw,
        (
            (low, high, large),
            (high, low, -large),
            (high, low, low),
            (0, low, low),
            (-1, low, low),
            (high - 5, high, 2),
            (low + 5, low, -2),
            (low, high, high),
            (low, low, low),
        ),
    )
    return call(draw, start, limit, delta, {"T": type}, stash)


def call(
    draw: Draw,
    start: float,
    limit: float,
    delta: float,
    types: dict[str, str],
    attributes: dict[str, int],
) -> Call:
    """Each number in a tensor of one element."""
    given = {"start": start, "limit": limit, "delta": delta}
    inputs = {k: Contents(choice(draw, ((), (), (1,))), (v,)) for k, v in given.items()}
    return Call(inputs, attributes, types)


def illegal(draw: Draw, *, attributes: frozenset[str]) -> Illegal:
    """A step of 0, an endless range, tensors of several elements, another stash_type."""
    wrong = choice(draw, ("zero", "endless", "large", "shape", "stash"))
    if wrong == "zero":
        limit = integer(draw, -2, 2)
        return Illegal(call(draw, 0, limit, 0, {}, {}), "ShapeError")
    if wrong == "endless":
        numbers = choice(
            draw,
            (
                (0.0, math.inf, 1.0),
                (math.nan, 1.0, 1.0),
                (0.0, math.nan, 1.0),
                (0.0, 1.0, math.nan),
                (0.0, math.inf, math.inf),
                (math.inf, math.inf, 1.0),
            ),
        )
        type = choice(draw, ("float", "double"))
        return Illegal(call(draw, *numbers, {"T": type}, {}), "ShapeError")
    if wrong == "large":
        numbers = choice(draw, ((-(2**63), 2**63 - 1, 1), (2**63 - 1, -(2**63), -1)))
        return Illegal(call(draw, *numbers, {"T": "int64"}, {}), "ShapeError")
    if wrong == "stash" and attributes:
        invalid = choice(draw, (0, 10, 16, -1))
        return Illegal(call(draw, 0, 3, 1, {}, {"stash_type": invalid}), "AttributeValueError")
    changed = call(draw, 0, 3, 1, {}, {})
    name = choice(draw, ("start", "limit", "delta"))
    shape = choice(draw, ((2,), (0,), (1, 1), (3,)))
    items = (1,) * math.prod(shape)
    return Illegal(changed.but({name: Contents(shape, items)}), "ShapeError")
