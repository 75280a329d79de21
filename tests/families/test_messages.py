"""The grammar of what rules say: `<what> <is wrong>, expected <what is right>`.

The messages are taken from the rules' sources, so that one without a reject is held to it too.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FAMILIES = ROOT / "templates" / "families"
FILES = sorted(
    path
    for folder in (FAMILIES, ROOT / "examples" / "custom_domain" / "families")
    for path in folder.rglob("*.py")
    if path.name == "rules.py" or path.parent.name in ("rules", "_shared")
)
VERBS = ("require", "require_attribute", "require_type")

# A name with its index, or a name and its nouns; what is wrong; what is right, and a remark.
SUBJECT = r"[A-Za-z{][\w.{}\[\]']*( [\w.{}]+)*?"
WRONG = r"(is|are|has|have|adds up to|duplicates) [^,;]+"
RIGHT = r"expected [^;,]+(, [^;,]+)*"
GRAMMAR = re.compile(rf"{SUBJECT} {WRONG}, {RIGHT}")
REFUSED = re.compile(r"\b(must|got|invalid|cannot|wrong)\b|[=;!.]$|=|>=|<=")
NUMBER = re.compile(r"\{[^}]*\} (values|elements|outputs|inputs)\b")


def messages(path: Path) -> Iterator[tuple[int, str]]:
    """The lines and texts of a rule file's messages; what is filled in stands in braces."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Call) and getattr(node.func, "id", None) in VERBS:
            yield node.lineno, text(node.args[1])


def text(message: ast.expr) -> str:
    if isinstance(message, ast.Constant):
        return str(message.value)
    assert isinstance(message, ast.JoinedStr)
    return "".join(
        str(part.value) if isinstance(part, ast.Constant) else filled(part)
        for part in message.values
    )


def filled(part: ast.expr) -> str:
    """A value in braces, without what belongs to Python alone; a counted noun as it is."""
    assert isinstance(part, ast.FormattedValue)
    counted = isinstance(part.value, ast.Call) and ast.unparse(part.value.func) == "counted"
    return "{counted}" if counted else "{value}"


def problem(message: str) -> str | None:
    """What is wrong with the words of a message."""
    if REFUSED.search(message):
        return "says must, got or a relation"
    if NUMBER.search(message):
        return "a number without its noun: use counted()"
    return None if GRAMMAR.fullmatch(message) else "not <what> <is wrong>, expected <what is right>"


def test_the_files_are_found() -> None:
    assert len(FILES) > 15
    assert sum(1 for path in FILES for _ in messages(path)) > 50


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_rules_say_what_is_wrong_and_what_is_right(path: Path) -> None:
    problems = [
        f"{path.name}:{line}: {found}: {message}"
        for line, message in messages(path)
        if (found := problem(message))
    ]
    assert not problems, "\n".join(problems)


@pytest.mark.parametrize(
    "message",
    [
        "axis = {value} is out of range for rank {value}, expected {value} to {value}",
        "repeats has {value} values, expected {value}",
        "group must be >= 1, got {value}",
        "pads cannot be combined with auto_pad {value}",
        "split[{value}] is negative",
        "expected {value}",
        "axis is {value}; expected 0",
    ],
)
def test_other_words_are_noticed(message: str) -> None:
    assert problem(message)
