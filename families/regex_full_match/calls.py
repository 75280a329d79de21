"""Calls of RegexFullMatch: random expressions of few characters, and short texts."""

from __future__ import annotations

from math import prod

from opmill_checks.drawing import Call, Contents, Draw, Illegal, choice, dims, happens, integer

ATOMS = (
    *("a", "b", "a", "b", ".", "\\.", "[ab]", "[^a]", "[a-c_]", "[[:alpha:]]", "[[:^digit:]-]"),
    *("\\d", "\\W", "[\\w.]", "\u00e4", "\\x61", "\\x{e4}", "\\Qa.\\E", "\\n", "k"),
)
EMPTY = ("^", "$", "\\b", "\\B", "\\A", "\\z", "(?i)", "(?s)", "(?m)", "()", "(?-i)")
OPERATORS = ("*", "+", "?", "*?", "{2}", "{0,2}", "{1,}", "{3,4}?", "{0}")
CHARACTERS = ("a", "b", "c", "A", "_", ".", "1", "\n", "\u00e4", "\u00c4", "k", "\u212a", " ")


def expression(draw: Draw, depth: int) -> str:
    """One or several alternatives of some atoms and operators."""
    found = ""
    for _ in range(integer(draw, 0, 4)):
        if happens(draw, 15):
            found += choice(draw, EMPTY)
        elif depth > 0 and happens(draw, 35):
            found += choice(draw, ("(", "(?:", "(?i:", "(?s-m:")) + expression(draw, depth - 1)
            found += ")" + (choice(draw, OPERATORS) if happens(draw, 60) else "")
        else:
            found += choice(draw, ATOMS) + (choice(draw, OPERATORS) if happens(draw, 40) else "")
        if happens(draw, 15):
            found += "|"
    return found


def legal(draw: Draw) -> Call:
    """Texts of any shape."""
    shape = dims(draw, integer(draw, 0, 3), 30)
    texts = tuple(
        "".join(choice(draw, CHARACTERS) for _ in range(integer(draw, 0, 5)))
        for _ in range(prod(shape))
    )
    return Call({"X": Contents(shape, texts)}, {"pattern": expression(draw, 2)})


def illegal(draw: Draw) -> Illegal:
    """No expression, or one that is too long; the cases of the spec have those that RE2 refuses."""
    attributes = {"pattern": choice(draw, ("a" * 4097, "\u00e4" * 2049))}
    if happens(draw, 50):
        attributes = {}
    return Illegal(Call({"X": Contents((1,), ("a",))}, attributes), "AttributeValueError")
