"""Calls of Bernoulli: probabilities of every size, and what is none."""

from __future__ import annotations

from collections.abc import Mapping
from math import prod
from typing import Any

from opmill_checks.drawing import (
    Call,
    Contents,
    Draw,
    Illegal,
    choice,
    dims,
    happens,
    rank,
)
from opmill_checks.value import TYPES

Types = Mapping[str, tuple[str, ...]]

CHANCES = (0.0, 0.5, 1.0, 0.25, 0.875, 0.00390625, 0.99609375)
"""Those that every type has."""


def number(word: str) -> int:
    """The number of a type in TensorProto.DataType."""
    return list(TYPES).index(word) + 1


def legal(draw: Draw, *, types: Types) -> Call:
    """A few probabilities, which repeat in a large tensor; now and then one that is refused."""
    shape = dims(draw, rank(draw), 900)
    some = [choice(draw, CHANCES) for _ in range(7)]
    items = [some[i % 7] for i in range(prod(shape))]
    if items and happens(draw, 10):
        items[-1] = choice(draw, (-0.5, 1.5, float("inf")))
    given: dict[str, Any] = {}
    if happens(draw, 70):
        given["seed"] = choice(draw, (0.0, 1.0, -1.0, 0.5, 7.0))
    if happens(draw, 60):
        given["dtype"] = number(choice(draw, types["T2"]))
    return Call({"input": Contents(shape, tuple(items))}, given)


def illegal(draw: Draw, *, types: Types) -> Illegal:
    """A type that is not allowed, or a seed that is no number."""
    call = legal(draw, types=types)
    if happens(draw, 30):
        return Illegal(call.but(seed=float("nan")), "AttributeValueError")
    others = [number(word) for word in TYPES if word not in types["T2"]]
    return Illegal(call.but(dtype=choice(draw, [*others, 0, -1, 29])), "AttributeValueError")
