"""Every message has one grammar: those of rules, shared ones, both runtimes', rejects of specs.

Messages are taken from the sources, so that one without a reject is checked too.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from message_grammar import problem, text
from opmill_gen.base.shared_messages import MESSAGES

ROOT = Path(__file__).resolve().parents[2]
FAMILIES = ROOT / "families"
RULES = sorted(
    path
    for folder in (FAMILIES, ROOT / "examples" / "custom_domain" / "families")
    for path in folder.rglob("*.py")
    if path.name == "rules.py" or path.parent.name in ("rules", "_shared")
)
RUNTIME = sorted((ROOT / "runtime").glob("python/_runtime/**/*.py"))
C_SOURCES = sorted(
    path
    for folder in (ROOT / "runtime" / "c" / "src" / "runtime", FAMILIES)
    for path in folder.rglob("*.c")
    if path.name != "message.c"
)
CASES = sorted([*ROOT.glob("specs/*/*/cases.yaml"), *ROOT.glob("examples/*/specs/*/*/cases.yaml")])

IN_RULES = ("require", "require_attribute", "require_type")
ERRORS = ("OpError", "TypeConstraintError", "ShapeError", "AttributeValueError", "ContentsError")
PARTS = ("COUNT_AT_LEAST", "COUNT_RANGE", "ONE_OF")
"""Shared texts that are parts of other messages."""

CUT = 200
"""Messages that may be cut at 255 bytes are at least so long."""


def calls(path: Path, names: tuple[str, ...]) -> Iterator[tuple[int, ast.expr]]:
    """The lines and last arguments of calls in a Python file."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Call) and getattr(node.func, "id", None) in names and node.args:
            yield node.lineno, node.args[-1]


def in_rules(path: Path) -> Iterator[tuple[str, str]]:
    for line, message in calls(path, IN_RULES):
        words = text(message)
        assert words is not None, f"{path.name}:{line}: the message is no literal"
        yield f"{path.name}:{line}", words


def in_runtime(path: Path) -> Iterator[tuple[str, str]]:
    """The literals; one that begins with a value has its first half in a line above."""
    for line, message in calls(path, ERRORS):
        words = text(message)
        if words is not None:
            yield f"{path.name}:{line}", re.sub(r"^\{value\}, expected", "x is 0, expected", words)


LITERAL = re.compile(r'"((?:[^"\\]|\\.)*)"')
WRITTEN = re.compile(r"\b(?:FAIL|wrong_form)\(|opmill_(?:message|contents)_begin\(")


def in_c(path: Path) -> Iterator[tuple[str, str]]:
    """The literals of a call that fails, or from where a message begins to the end of its function.

    Those written from shared texts are left out.
    """
    source = re.sub(r"/\*.*?\*/", "", path.read_text(), flags=re.DOTALL)
    for found in WRITTEN.finditer(source):
        rest = source[found.start() :]
        direct = found[0].endswith(("FAIL(", "form("))
        part = rest[: rest.index(";") if direct else rest.index("\n}")]
        if "OPMILL_TEXT" in part or not LITERAL.search(part) or "static" in part:
            continue
        pieces = [one[1] for one in LITERAL.finditer(part) if one[1]]
        words = "{value}".join(pieces)
        words += "{value}" if words.endswith(" ") else ""
        leads = not pieces[0][0].isalpha()
        yield f"{path.name}: {found[0]}", ("{value}" + words if leads else words)


def in_cases(path: Path) -> Iterator[tuple[str, str]]:
    for case in yaml.load(path.read_text(), yaml.CSafeLoader).get("rejects") or ():
        words = case["error"]
        yield f"{path.parent.name}: {case['name']}", words if len(words) < CUT else words + "..."


def problems(found: Iterator[tuple[str, str]]) -> str:
    return "\n".join(
        f"{where}: {wrong}: {words}" for where, words in found if (wrong := problem(words))
    )


def test_the_messages_are_found() -> None:
    assert len(RULES) > 15
    assert len(CASES) > 50
    assert sum(1 for path in RULES for _ in in_rules(path)) > 50
    assert sum(1 for path in RUNTIME for _ in in_runtime(path)) > 15
    assert sum(1 for path in C_SOURCES for _ in in_c(path)) > 10


def test_the_shared_messages() -> None:
    shared = {name: words for name, words in MESSAGES.items() if name not in PARTS}
    filled = ((name, words.replace("{}", "{value}")) for name, words in shared.items())
    # The number of values is above 128, so that its noun is a plural.
    assert not problems((name, words.replace("{value} values", "{n}")) for name, words in filled)


@pytest.mark.parametrize("path", RULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_the_messages_of_rules(path: Path) -> None:
    assert not problems(in_rules(path))


def test_the_messages_of_the_python_runtime() -> None:
    assert not "\n".join(filter(None, (problems(in_runtime(path)) for path in RUNTIME)))


def test_the_messages_of_c() -> None:
    assert not "\n".join(filter(None, (problems(in_c(path)) for path in C_SOURCES)))


def test_the_rejects_of_specs() -> None:
    assert not "\n".join(filter(None, (problems(in_cases(path)) for path in CASES)))


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
        "required input 'X' is missing",
        "unknown attribute 'axis'",
        "expects 2 inputs, got 1",
        "output size overflows",
        "needs the value of shape",
    ],
)
def test_other_words_are_noticed(message: str) -> None:
    assert problem(message)
