"""Calls of OneHotEncoder: elements with a category and without, of every type."""

from __future__ import annotations

from math import inf, nan, prod
from typing import Any

from opmill_checks.drawing import Call, Contents, Draw, Illegal, choice, dims, happens, rank

FLOATS = (0.0, 1.0, 1.9, -0.5, nan, inf, -3.25, 1.0e30)
WHOLES = (0, 1, -3, 7, 100)
TEXTS = ("a", "", "b", "ab", "\u00e9")


def legal(draw: Draw, *, types: dict[str, tuple[str, ...]]) -> Call:
    """Categories, some of them twice; now and then an element without one is to be refused."""
    type_ = choice(draw, types["T"])
    options: Any = {"string": TEXTS, "float": FLOATS, "double": FLOATS}.get(type_, WHOLES)
    categories: Any = TEXTS if type_ == "string" else WHOLES
    name = "cats_strings" if type_ == "string" else "cats_int64s"
    given: dict[str, Any] = {
        name: [choice(draw, categories) for _ in range(choice(draw, (1, 2, 5)))]
    }
    shape = dims(draw, min(rank(draw), 63), 100)
    zeros = choice(draw, (1, 0)) if happens(draw, 50) else None
    items = tuple(choice(draw, given[name] if zeros == 0 else options) for _ in range(prod(shape)))
    if items and happens(draw, 8):
        items = (*items[:-1], choice(draw, options))
    return Call({"X": Contents(shape, items)}, given, {"T": type_}).but(zeros=zeros)


def illegal(draw: Draw, *, types: dict[str, tuple[str, ...]]) -> Illegal:
    """Categories of the other type, of both, none, or an empty list; another flag; a rank of 64."""
    call = Call({"X": (2,)}, {"cats_int64s": [1, 2]}, {"T": choice(draw, ("int64", "float"))})
    if happens(draw, 20):
        return Illegal(call.but({"X": (1,) * 64}), "ShapeError")
    other: dict[str, Any] = choice(
        draw,
        (
            {"zeros": 2},
            {"cats_int64s": []},
            {"cats_int64s": None},
            {"cats_int64s": None, "cats_strings": ["a"]},
            {"cats_strings": ["a"]},
        ),
    )
    return Illegal(call.but(**other), "AttributeValueError")
