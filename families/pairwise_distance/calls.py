"""Calls of CDist: two matrices with as many columns."""

from __future__ import annotations

from math import inf, nan
from typing import Any

from opmill_checks.drawing import Call, Contents, Draw, Given, Illegal, choice, happens, integer

METRICS = ("euclidean", "sqeuclidean")
SPECIAL = (inf, -inf, nan, 1e30, -1e-30, 0.1)


def points(draw: Draw, rows: int, columns: int) -> Given:
    """Halves of small numbers, whose squares are exact; now and then any numbers."""
    if happens(draw, 20):
        return (rows, columns)
    items = [integer(draw, -40, 40) / 2 for _ in range(rows * columns)]
    if items and happens(draw, 20):
        items[integer(draw, 0, len(items) - 1)] = choice(draw, SPECIAL)
    return Contents((rows, columns), tuple(items))


def legal(draw: Draw) -> Call:
    """Some rows or none, and up to twenty columns."""
    columns = choice(draw, (1, 2, 3, 0, 7, 8, 20))
    attributes: dict[str, Any] = {}
    if happens(draw, 70):
        attributes["metric"] = choice(draw, METRICS)
    rows, count = integer(draw, 0, 6), integer(draw, 0, 6)
    given = {"A": points(draw, rows, columns), "B": points(draw, count, columns)}
    return Call(given, attributes)


def illegal(draw: Draw) -> Illegal:
    """Another number of columns, another rank, another distance."""
    wrong = choice(draw, ("columns", "rank", "metric"))
    call = Call({"A": (2, 3), "B": (4, 3)})
    if wrong == "metric":
        word = choice(draw, ("cityblock", "cosine", "", "Euclidean", "sqeuclidean "))
        return Illegal(call.but(metric=word), "AttributeValueError")
    if wrong == "columns":
        return Illegal(call.but({"B": (4, choice(draw, (2, 4, 0, 1)))}), "ShapeError")
    name = choice(draw, ("A", "B"))
    return Illegal(call.but({name: choice(draw, ((3,), (), (2, 1, 3)))}), "ShapeError")
