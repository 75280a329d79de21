"""Messages of the rule compiler for files that are not of the language, with their locations."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

import opmill_gen.rule_language
from rules_executors import HEADER
from rules_faults import FAULTS
from rules_faulty import body, expected, expression, faults_of, helper

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("name", FAULTS)
def test_fault(name: str) -> None:
    marked, *messages = FAULTS[name]
    source, faults = expected(marked, tuple(messages))
    assert faults_of(source) == faults


def test_every_fault_is_tested() -> None:
    """The words of every fault in the compiler's source stand in the table above, or below."""
    tested = [message for _, *messages in FAULTS.values() for message in messages]
    tested += ["'step' is a family's parameter", "this is nested too deep; simplify it"]
    tested += ["not valid Python"]
    folder = Path(opmill_gen.rule_language.__file__).parent
    patterns: set[str] = set()
    for file in (
        "expressions",
        "statements",
        "program",
        "parameters",
        "conditions",
        "calls",
        "reader",
    ):
        for node in ast.walk(ast.parse((folder / f"{file}.py").read_text())):
            patterns |= set(reported(node))
    assert len(patterns) > 80
    missing = [p for p in patterns if not any(re.fullmatch(p, text) for text in tested)]
    assert not missing


def reported(node: ast.AST) -> list[str]:
    """The texts, as patterns, that a node of the compiler reports."""
    texts: list[ast.expr] = []
    if isinstance(node, ast.Call):
        name = (
            node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        )
        if name in ("fault", "report", "Diagnostic") and len(node.args) == 2:
            texts.append(node.args[1])
    elif isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "problem":
        texts.append(node.value)
    return [
        pattern(text)
        for text in texts
        if isinstance(text, (ast.Constant, ast.JoinedStr)) and pattern(text)
    ]


def pattern(text: ast.expr) -> str:
    if isinstance(text, ast.Constant):
        return re.escape(str(text.value)) if text.value is not None else ""
    assert isinstance(text, ast.JoinedStr)
    return "".join(
        re.escape(str(part.value)) if isinstance(part, ast.Constant) else "(?s:.*)"
        for part in text.values
    )


def test_all_faults_at_once() -> None:
    marked = f"""{HEADER}
§import os

def f(n: int) -> int:
    m = n / 2
    k = m + 1
    return k


def rules(X: Tensor, B: Tensor | None, *, a: int) -> None:
    require(§a, "a")
    n = §B.rank
    m = n + 1
    for i in range(§a):
        x = i
    y = x
    if §missing > 0:
        z = 1
    y = z + 1
    output(Y=[m])
    §pass
""".replace("m = n / 2", "m = §n / 2").replace("range(§a)", "§range(a)")
    source, faults = expected(
        marked,
        (
            "a rule file holds imports and functions only",
            "'n / 2': the operators are + - * // % on integers, + - * / on floats",
            "'a' is int, expected bool; write the comparison out, as x != 0 or len(x) > 0",
            "'B' may be None here; guard it with 'if B is not None'",
            "the loop may run without end; bound its end with require first",
            "'missing' has no value here",
            "'pass' does nothing; remove it",
        ),
    )
    assert faults_of(source) == faults, "each fault once, and none that only follows from another"


def test_a_family_parameter_is_not_an_attribute() -> None:
    source, faults = expected(
        f"{HEADER}def rules(X: Tensor, *, §step: int) -> None:\n    output(Y=[])\n",
        ("'step' is a family's parameter",),
    )
    assert faults_of(source, {"step": 3}) == faults


def test_faults_beside_a_parameter_that_decides() -> None:
    """Check that code which a family's parameter excludes is read all the same."""
    source, faults = expected(
        body("if keep:\n    r = 1\nelse:\n    r = §missing"), ("'missing' has no value here",)
    )
    assert faults_of(source, {"keep": True}) == faults
    assert faults_of(source, {"keep": False}) == faults


def test_faults_in_shared_files() -> None:
    for name, faults in (
        ("bad", ["_shared/bad.py:2:12: 'k' has no value here"]),
        (
            "rule",
            ["_shared/rule.py:1:1: 'rules' is a word of the rule language; choose another name"],
        ),
    ):
        imported = {"bad": "worse", "rule": "rules"}[name]
        found = faults_of(helper(f"from _shared.{name} import {imported}"))
        assert found[: len(faults)] == faults


@pytest.mark.parametrize(
    ("family", "fault"),
    [
        ("wrong", "1:12: annotate 'text' as str or int"),
        ("vague", "1:1: annotate what 'thrice' returns as int, Indices or tuple[int, ...]"),
        ("named", "1:1: 'thrice' takes all its arguments by position, and has no default"),
        ("broken", "1:4: not valid Python: invalid syntax"),
    ],
)
def test_faults_in_plain_functions(family: str, fault: str) -> None:
    found = faults_of(helper(f"from {family}.functions import thrice"))
    assert found == [f"{family}/functions.py:{fault}"]


def test_shared_files_that_import_each_other() -> None:
    found = faults_of(helper("from _shared.round import near"))
    assert found == ["_shared/about.py:1:1: _shared.round has no 'near'"]


DEEP = {
    "parentheses": "r = " + "(" * 150 + "1" + ")" * 150,
    "signs": "r = " + "-" * 3000 + "a",
    "nots": "r = " + "not " * 3000 + "True",
    "sums": "r = " + "+".join(["a"] * 3000),
    "properties": "r = X" + ".rank" * 3000,
    "calls": "r = " + "abs(" * 150 + "a" + ")" * 150,
    "choices": "r = " + "1 if a > 0 else " * 3000 + "2",
    "elifs": "if a > 0:\n    r = 1\n" + "elif a > 1:\n    r = 2\n" * 3000,
    "blocks": "\n".join("    " * depth + "if a > 0:" for depth in range(90))
    + "\n"
    + "    " * 90
    + "r = 1",
    "lists": "r = " + "[" * 150 + "]" * 150,
    "a huge sum": "r = " + "+".join(["1"] * 200_000),
    "many signs": "r = " + "-" * 200_000 + "a",
}


@pytest.mark.parametrize("name", DEEP)
def test_deep_nesting(name: str) -> None:
    found = faults_of(body(DEEP[name]))
    assert bool(found) is (name not in ("parentheses", "blocks"))


def test_nested_too_deep() -> None:
    """The limit leaves room for any rule that can be read."""
    for terms, found in ((80, []), (120, ["this is nested too deep; simplify it"])):
        faults = faults_of(expression("+".join(["X.rank"] * terms)))
        assert [fault.split(": ", 1)[1] for fault in faults] == found


@pytest.mark.parametrize(
    "text", ["\0", "x\0y", "\ud800", "'\\", '"""', "\f", "\\", "#\r\n\tx", "é = 1", "\ufeff"]
)
def test_texts_that_are_no_rules(text: str) -> None:
    assert faults_of(text)
    assert faults_of(body("r = 1") + text) or not text.strip()
