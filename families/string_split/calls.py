"""Calls of StringSplit: texts of few characters, among them delimiters and whitespace."""

from __future__ import annotations

from math import prod
from typing import Any

from opmill_checks.drawing import Call, Contents, Draw, Illegal, choice, dims, happens, integer

PIECES = ("a", ",", " ", "--", "-", "bc", "\t", "\u00e4", "\u2003", ",,", "   ")


def text(draw: Draw) -> str:
    return "".join(choice(draw, PIECES) for _ in range(integer(draw, 0, 6)))


def legal(draw: Draw) -> Call:
    """Any shape, with and without delimiters, with and without a largest number of splits."""
    shape = dims(draw, integer(draw, 0, 3), 30)
    texts = tuple(text(draw) for _ in range(prod(shape)))
    attributes: dict[str, Any] = {}
    if happens(draw, 60):
        attributes["delimiter"] = choice(draw, (",", "", "--", " ", "\u00e4", "a,"))
    if happens(draw, 50):
        attributes["maxsplit"] = choice(draw, (1, 0, 2, 3, -1, 2**63 - 1, -(2**63)))
    return Call({"X": Contents(shape, texts)}, attributes)


def illegal(draw: Draw) -> Illegal:
    """As many axes as a tensor may have."""
    return Illegal(Call({"X": (1,) * 63 + (choice(draw, (1, 2, 0)),)}), "ShapeError")
