"""The grammar of messages: `<what> <is wrong>, expected <what is right>`.

A message is checked as it is written in the sources, with ``{value}`` for what a call fills in, or
as a reject of a spec states it.
"""

from __future__ import annotations

import ast
import re

SUBJECT = r"(internal error: )?[A-Za-z_{][\w.{}'\[\]]*( [\w.{}'\[\]]+|(, \d+)+\])*?"
WRONG = r"(is|are|has|have|adds up to|duplicates|overlaps|overflows)\b.*?"
RIGHT = r"expected \S.*"
GRAMMAR = re.compile(rf"{SUBJECT} {WRONG}, {RIGHT}", re.DOTALL)
REFUSED = re.compile(r"\b(must|got|invalid|cannot|wrong)\b|[=;!.]$|=|>=|<=")
NUMBER = re.compile(r"\{[^}]*\} (values|elements|outputs|inputs)\b")
PLACED = re.compile(r" = (\{value\}|-?\d+)(?= is out of range for axis )")
"""An index, which is shown beside its place: ``indices[3, 1] = 7 is out of range for axis 0``."""
QUOTED = re.compile(r"'[^']*'")


def problem(message: str) -> str | None:
    """Return the fault of a message's grammar; a caller's text, in quotes, may be anything."""
    words = PLACED.sub("", QUOTED.sub("'{value}'", message))
    if REFUSED.search(words):
        return "has must, got or a relation"
    if NUMBER.search(words):
        return "a number without its noun: use counted()"
    return None if GRAMMAR.fullmatch(words) else "not <what> <is wrong>, expected <what is right>"


def text(message: ast.expr) -> str | None:
    """The text of a literal in Python; a counted noun as it is, ``None`` for other expressions."""
    if isinstance(message, ast.Constant):
        return message.value if isinstance(message.value, str) else None
    if not isinstance(message, ast.JoinedStr):
        return None
    return "".join(
        str(part.value) if isinstance(part, ast.Constant) else _filled(part)
        for part in message.values
    )


def _filled(part: ast.expr) -> str:
    assert isinstance(part, ast.FormattedValue)
    counted = isinstance(part.value, ast.Call) and ast.unparse(part.value.func) == "counted"
    return "{counted}" if counted else "{value}"
