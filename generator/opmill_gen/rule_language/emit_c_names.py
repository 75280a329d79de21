"""Names and scopes of emitted C: which identifiers are taken, and where a variable is declared."""

from __future__ import annotations

import re
from collections.abc import Iterable

from opmill_gen.rule_language import ir
from opmill_gen.rule_language.walk import mentioned

_KEYWORDS = """
auto break case char const continue default do double else enum extern float for goto if inline int
long register restrict return short signed sizeof static struct switch typedef union unsigned void
volatile while bool true false NULL
"""
_TEMPORARY = re.compile(r"(t|end)[0-9]+(_storage)?\Z|.*_count\Z|opmill_.*|OPMILL_.*")
_TAKEN = frozenset(("op", "context", "plan", "message", "result", "storage", "index", "strlen"))


def c_name(name: str) -> str:
    """A name of the rule as a C identifier that collides with nothing the emitted code uses."""
    stem = name.rstrip("_")
    taken = stem in _KEYWORDS.split() or stem in _TAKEN or _TEMPORARY.match(stem)
    return f"{name}_" if taken else name


def local_variables(body: Iterable[ir.Statement]) -> dict[str, list[ir.Expression]]:
    """The variables that statements assign, each with every value it is given, in order."""
    found: dict[str, list[ir.Expression]] = {}
    for statement in body:
        if isinstance(statement, ir.Assign):
            found.setdefault(statement.name, []).append(statement.value)
        for block in _blocks(statement):
            for name, values in local_variables(block).items():
                found.setdefault(name, []).extend(values)
    return found


def changed_by(body: Iterable[ir.Statement]) -> set[str]:
    """The variables that statements assign, and the lists that they change."""
    names: set[str] = set()
    for statement in body:
        if isinstance(statement, (ir.Assign, ir.AssignElement, ir.Append, ir.For)):
            names.add(statement.name)
        for block in _blocks(statement):
            names |= changed_by(block)
    return names


def declared_inside(body: tuple[ir.Statement, ...], name: str) -> bool:
    """Return whether a variable can be declared where it is first assigned.

    It can where no statement outside the block of that assignment mentions it.
    """
    for position, statement in enumerate(body):
        if isinstance(statement, ir.Assign) and statement.name == name:
            return True
        inner = [block for block in _blocks(statement) if name in local_variables(block)]
        if inner:
            elsewhere = len(inner) > 1 or name in mentioned(body[position + 1 :])
            return not elsewhere and declared_inside(inner[0], name)
    return False


def _blocks(statement: ir.Statement) -> tuple[tuple[ir.Statement, ...], ...]:
    if isinstance(statement, ir.If):
        return statement.then, statement.otherwise
    if isinstance(statement, ir.For):
        return (statement.body,)
    return ()
