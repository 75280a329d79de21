"""Calls of Tokenizer: separators that are texts and expressions, single ones and several."""

from __future__ import annotations

from math import prod
from typing import Any

from opmill_checks.drawing import Call, Contents, Draw, Illegal, choice, dims, happens, integer

PIECES = ("a", "b", "ab", "abc", " ", ",", "-", "  ", "\n", "A", "\u00e4", "\u65e5", "1", "_", "b-")
TEXTS = (" ", ",", "ab", "b", "-", "\u00e4", "a", "bc")
ATOMS = (
    "a",
    "b",
    "[ab]",
    "[^a]",
    ".",
    "\\w",
    "\\s",
    "\\W",
    "[[:alpha:]]",
    "(a|ab)",
    "(?:b|-)",
    ",",
)
EMPTY = ("^", "$", "\\b", "\\B", "()")
OPERATORS = ("*", "+", "?", "+?", "{2}", "*?")
PADDINGS = ("", "#", "pad", "\u00e4", "\x02")


def text(draw: Draw) -> str:
    return "".join(choice(draw, PIECES) for _ in range(integer(draw, 0, 8)))


def expression(draw: Draw) -> str:
    """One or two alternatives of some atoms and operators, not empty."""
    found = "(?i)" if happens(draw, 10) else ""
    for _ in range(integer(draw, 1, 3)):
        if happens(draw, 15):
            found += choice(draw, EMPTY)
        else:
            found += choice(draw, ATOMS) + (choice(draw, OPERATORS) if happens(draw, 40) else "")
        if happens(draw, 10):
            found += "|"
    return found


def separators(draw: Draw) -> list[str]:
    if happens(draw, 20):
        return [""]
    return [
        choice(draw, TEXTS) if happens(draw, 60) else expression(draw)
        for _ in range(integer(draw, 1, 3))
    ]


def legal(draw: Draw) -> Call:
    """One or two axes, also empty ones; either separators or an expression, or both."""
    shape = dims(draw, integer(draw, 1, 2), 20)
    texts = tuple(text(draw) for _ in range(prod(shape)))
    attributes: dict[str, Any] = {
        "mark": choice(draw, (0, 1, 0, 1, 2, -1)),
        "mincharnum": choice(draw, (1, 1, 1, 2, 3, 2**63 - 1)),
        "pad_value": choice(draw, PADDINGS),
    }
    by_separators = happens(draw, 60)
    if by_separators:
        attributes["separators"] = separators(draw)
        if attributes["separators"] == [""]:
            attributes["mincharnum"] = 1
    if not by_separators or happens(draw, 5):
        attributes["tokenexp"] = expression(draw)
        if attributes["tokenexp"] == "." and not by_separators:
            attributes["mincharnum"] = 1
    return Call({"X": Contents(shape, texts)}, attributes)


def illegal(draw: Draw) -> Illegal:
    """Other ranks, attributes that are absent or out of range."""
    call = legal(draw)
    kind = integer(draw, 0, 4)
    if kind == 0:
        shape = choice(draw, ((), (1, 1, 1), (2, 0, 1)))
        texts = tuple(text(draw) for _ in range(prod(shape)))
        return Illegal(Call({"X": Contents(shape, texts)}, call.attributes), "ShapeError")
    if kind == 1:
        return Illegal(call.but(mincharnum=choice(draw, (0, -1, -(2**63)))), "AttributeValueError")
    attributes = {
        name: value
        for name, value in call.attributes.items()
        if name not in ("separators", "tokenexp")
    }
    if kind == 2:
        attributes["tokenexp"] = ""
    elif kind == 3:
        attributes["tokenexp"] = "a" * 4097
    return Illegal(Call(call.inputs, attributes), "AttributeValueError")
