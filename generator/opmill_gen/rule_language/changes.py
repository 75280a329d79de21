"""Changes and requirements of the statements of a rule, found before they are read."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from opmill_gen.rule_language.conditions import MIRRORED, RELATIONS
from opmill_gen.rule_language.ir import Relation
from opmill_gen.rule_language.verbs import FAULTS


def stored(body: list[ast.stmt]) -> set[str]:
    """The lists of which statements assign an element."""
    return {
        target.value.id
        for statement in body
        for node in ast.walk(statement)
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Subscript) and isinstance(target.value, ast.Name)
    }


def local_lists(body: list[ast.stmt]) -> set[str]:
    """The names that are given a new list somewhere in a function."""
    names: set[str] = set()
    for statement in body:
        for node in ast.walk(statement):
            if isinstance(node, (ast.Assign, ast.AnnAssign)):
                called = isinstance(node.value, ast.Call) and ast.unparse(node.value.func) == "list"
                if called or isinstance(node.value, (ast.List, ast.BinOp)):
                    names |= assigned([node])
            elif isinstance(node, ast.AugAssign):
                names |= assigned([node])
    return names


def assigned(body: list[ast.stmt]) -> set[str]:
    """The names that statements give a value to."""
    names: set[str] = set()
    for statement in body:
        for node in ast.walk(statement):
            targets: list[ast.expr] = []
            if isinstance(node, ast.Assign):
                targets = node.targets
            elif isinstance(node, (ast.AugAssign, ast.AnnAssign, ast.For)):
                targets = [node.target]
            for target in targets:
                parts = target.elts if isinstance(target, ast.Tuple) else [target]
                names |= {part.id for part in parts if isinstance(part, ast.Name)}
    return names


def appends(body: list[ast.stmt], nested: bool = False) -> dict[str, tuple[int, ast.AST, bool]]:
    """Maximum number of times that each list is appended to in one run of the statements."""
    found: dict[str, tuple[int, ast.AST, bool]] = {}

    def add(more: dict[str, tuple[int, ast.AST, bool]]) -> None:
        for name, (count, node, inner) in more.items():
            old = found.get(name, (0, node, False))
            found[name] = (old[0] + count, old[1], old[2] or inner)

    for statement in body:
        if isinstance(statement, ast.If):
            then, other = appends(statement.body, nested), appends(statement.orelse, nested)
            for name in {**then, **other}:
                sides = [side[name] for side in (then, other) if name in side]
                add({name: max(sides, key=lambda side: side[0])})
        elif isinstance(statement, ast.For):
            add({n: (c, node, True) for n, (c, node, _) in appends(statement.body).items()})
        elif isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
            method = statement.value.func
            if (
                isinstance(method, ast.Attribute)
                and method.attr == "append"
                and isinstance(method.value, ast.Name)
            ):
                add({method.value.id: (1, statement, nested)})
    return found


def required_in(body: list[ast.stmt]) -> Iterator[tuple[ast.expr, Relation, ast.expr]]:
    """The comparisons that statements require one by one, each from both of its sides."""
    for statement in body:
        call = statement.value if isinstance(statement, ast.Expr) else None
        if not isinstance(call, ast.Call) or getattr(call.func, "id", None) not in FAULTS:
            continue
        condition = call.args[0]
        if isinstance(condition, ast.Compare):
            sides = [condition.left, *condition.comparators]
            for left, op, right in zip(sides, condition.ops, sides[1:], strict=False):
                relation = RELATIONS.get(type(op))
                if relation is not None:
                    yield left, relation, right
                    yield right, MIRRORED[relation], left


def list_of(node: ast.expr, index: str) -> str | None:
    """The list's name in ``values[index]``."""
    if not isinstance(node, ast.Subscript) or not isinstance(node.value, ast.Name):
        return None
    name = node.slice.id if isinstance(node.slice, ast.Name) else None
    return node.value.id if name == index else None
