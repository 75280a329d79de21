"""Calls of Multinomial: few and many classes, some of which are impossible."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from opmill_checks.drawing import Call, Contents, Draw, Illegal, choice, happens, integer
from opmill_checks.value import TYPES

Types = Mapping[str, tuple[str, ...]]

SCORES = (0.0, 1.0, -1.0, 0.5, -4.0, 3.0, 12.0, float("-inf"), -100.0)


def number(word: str) -> int:
    """The number of a type in TensorProto.DataType."""
    return list(TYPES).index(word) + 1


def legal(draw: Draw, *, types: Types) -> Call:
    """Scores that repeat; now and then some that the kernel refuses."""
    rows, classes = integer(draw, 0, 4), integer(draw, 1, 40)
    some = [choice(draw, SCORES) for _ in range(5)]
    items = [some[i % 5] for i in range(rows * classes)]
    for row in range(rows):
        items[row * classes + integer(draw, 0, classes - 1)] = choice(draw, (0.0, 2.0, -2.5))
    if items and happens(draw, 10):
        items[-1] = choice(draw, (float("nan"), float("inf")))
    given: dict[str, Any] = {}
    if happens(draw, 80):
        given["sample_size"] = integer(draw, 1, 60)
    if happens(draw, 70):
        given["seed"] = choice(draw, (0.0, 1.0, -1.0, 0.5, 7.0))
    if happens(draw, 60):
        given["dtype"] = number(choice(draw, types["T2"]))
    return Call({"input": Contents((rows, classes), tuple(items))}, given)


def illegal(draw: Draw, *, types: Types) -> Illegal:
    """Another rank, no classes or samples, a type that is not allowed."""
    call = Call({"input": Contents((1, 2), (0.0, 1.0))}, {"sample_size": 3})
    if happens(draw, 30):
        shape = choice(draw, ((2,), (1, 2, 1), (), (2, 0)))
        items = () if 0 in shape else (0.0,) * (2 if shape else 1)
        return Illegal(call.but({"input": Contents(shape, items)}), "ShapeError")
    if happens(draw, 40):
        wrong = choice(draw, ({"seed": float("nan")}, {"sample_size": 0}, {"sample_size": -3}))
        return Illegal(call.but(**wrong), "AttributeValueError")
    others = [number(word) for word in TYPES if word not in types["T2"]]
    return Illegal(call.but(dtype=choice(draw, [*others, 0, -1, 29])), "AttributeValueError")
