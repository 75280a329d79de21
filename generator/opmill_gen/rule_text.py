"""The conditions of a rule file, in the order in which they are checked, for the manual."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

_REFUSALS = {
    "require": "ShapeError",
    "require_attribute": "AttributeValueError",
    "require_type": "TypeConstraintError",
}
_RULE = "rules"
_SHARED = "_shared."


@dataclass(frozen=True)
class Condition:
    """One condition: where it applies, what must hold, and the words of the refusal."""

    where: tuple[str, ...]
    holds: str
    error: str
    message: str


@dataclass(frozen=True)
class Checks:
    """The conditions of the rule, or of a helper that it calls."""

    name: str
    signature: str
    about: str
    conditions: tuple[Condition, ...]

    @property
    def is_rule(self) -> bool:
        """Whether this is the rule itself."""
        return self.name == _RULE


def conditions(text: str, shared: Mapping[str, tuple[str, str]]) -> list[Checks]:
    """The rule's conditions first, then those of each helper that refuses something.

    Args:
        text: a rule file that the compiler has accepted.
        shared: the helpers that families share: module name -> (path, text).
    """
    functions = list(_functions(ast.parse(text), shared))
    functions.sort(key=lambda function: function.name != _RULE)
    found = [
        Checks(
            function.name,
            f"{function.name}({', '.join(a.arg for a in function.args.args)})",
            (ast.get_docstring(function) or "").split("\n\n")[0],
            tuple(_in(function.body, ())),
        )
        for function in functions
    ]
    return [checks for checks in found if checks.conditions]


def _functions(
    module: ast.Module, shared: Mapping[str, tuple[str, str]]
) -> Iterator[ast.FunctionDef]:
    """The functions of a file, and those that it imports from shared ones."""
    for node in module.body:
        if isinstance(node, ast.FunctionDef):
            yield node
        elif isinstance(node, ast.ImportFrom) and str(node.module).startswith(_SHARED):
            _, text = shared[str(node.module).removeprefix(_SHARED)]
            wanted = {alias.name for alias in node.names}
            for function in _functions(ast.parse(text), shared):
                if function.name in wanted:
                    yield function


def _in(statements: list[ast.stmt], where: tuple[str, ...]) -> Iterator[Condition]:
    for statement in statements:
        if isinstance(statement, ast.If):
            test = ast.unparse(statement.test)
            yield from _in(statement.body, (*where, f"if {test}"))
            yield from _in(statement.orelse, (*where, f"unless {test}"))
        elif isinstance(statement, ast.For):
            head = f"for each {ast.unparse(statement.target)} in {ast.unparse(statement.iter)}"
            yield from _in(statement.body, (*where, head))
        elif isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
            yield from _refusal(statement.value, where)


def _refusal(call: ast.Call, where: tuple[str, ...]) -> Iterator[Condition]:
    if isinstance(call.func, ast.Name) and call.func.id in _REFUSALS:
        condition, message = call.args
        yield Condition(where, ast.unparse(condition), _REFUSALS[call.func.id], _words(message))


def _words(message: ast.expr) -> str:
    """The text of a message; what is filled in stands in braces."""
    if isinstance(message, ast.Constant):
        return str(message.value)
    if isinstance(message, ast.JoinedStr):
        return "".join(
            f"{{{ast.unparse(part.value)}}}"
            if isinstance(part, ast.FormattedValue)
            else _words(part)
            for part in message.values
        )
    return ast.unparse(message)
