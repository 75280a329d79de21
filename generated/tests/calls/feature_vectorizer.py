"""Calls of FeatureVectorizer: inputs that are cut, filled, or as wide as they are said to be."""

from __future__ import annotations

from typing import Any

from opmill_checks.drawing import Call, Draw, Illegal, Several, choice, happens, integer


def legal(draw: Draw) -> Call:
    """One to four matrices, or vectors where there is one row."""
    rows = choice(draw, (1, 2, 0, 5))
    parts: Several = []
    widths = []
    for _ in range(choice(draw, (2, 1, 3, 4))):
        size = choice(draw, (1, 3, 0, 17))
        parts.append((size,) if rows == 1 and happens(draw, 50) else (rows, size))
        widths.append(size if happens(draw, 50) else choice(draw, (0, 1, 5, 20)))
    given = {"inputdimensions": widths} if happens(draw, 80) else {}
    return Call({"X": parts}, given)


def illegal(draw: Draw) -> Illegal:
    """Another number of widths, a negative one; another number of rows, another rank."""
    shape = (choice(draw, (2, 3)), choice(draw, (1, 4)))
    call = Call({"X": [shape, shape]}, {"inputdimensions": [1, 2]})
    wrong: Any = choice(draw, ([1], [1, 2, 3], [1, -integer(draw, 1, 5)], None))
    if wrong is not None:
        return Illegal(call.but(inputdimensions=wrong), "AttributeValueError")
    other: Any = choice(draw, ((1, 4), (4,), (), (*shape, 1)))
    parts: Several = [shape, other]
    return Illegal(call.but({"X": parts}), "ShapeError")
