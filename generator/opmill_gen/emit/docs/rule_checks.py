"""The conditions of a rule, in the order in which they are checked, for the manual.

A helper that refuses something has a list of its own, and stands in the lists of its callers where
they call it.

What a version decides, by the family's parameters or by attributes that it lacks, is worked out, so
that only what it checks is told.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from opmill_gen.check.result import CheckedVersion
from opmill_gen.check.rule_signature import rule_name

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
class Call:
    """A call of a helper that refuses something: where it applies, and the call."""

    where: tuple[str, ...]
    call: str


@dataclass(frozen=True)
class Checks:
    """The conditions of the rule, or of a helper that it calls."""

    name: str
    signature: str
    about: str
    conditions: tuple[Condition | Call, ...]

    @property
    def is_rule(self) -> bool:
        """Whether this is the rule itself."""
        return self.name == _RULE


def checks_of(version: CheckedVersion) -> list[Checks]:
    """What a version checks."""
    instance = version.instance
    stated = [rule_name(version.spec, attribute) for attribute in version.spec.attributes]
    return conditions(instance.rule.text, instance.shared_rules, instance.rule_parameters, stated)


def conditions(
    text: str,
    shared: Mapping[str, tuple[str, str]],
    parameters: Mapping[str, Any],
    stated: Collection[str],
) -> list[Checks]:
    """The rule's conditions first, then those of each helper that refuses something.

    Args:
        text: a rule file that the compiler has accepted.
        shared: the helpers that families share: module name -> (path, text).
        parameters: the family's parameters, as the version has them.
        stated: the attributes that the version has, by the rule's names.
    """
    named = {function.name: function for function in _functions(ast.parse(text), shared)}
    lacking = _lacking(named[_RULE], stated)
    functions = [_decided(named[_RULE], {**parameters, **lacking})]
    for function in functions:  # which grows: helpers call helpers
        known = {one.name for one in functions}
        for name in _called(function):
            if name in named and name not in known:
                functions.append(_decided(named[name], parameters))
                known.add(name)
    places = list(named)
    functions[1:] = sorted(functions[1:], key=lambda function: places.index(function.name))
    refusing = _refusing(functions)
    found = [
        Checks(
            function.name,
            f"{function.name}({', '.join(a.arg for a in function.args.args)})",
            (ast.get_docstring(function) or "").split("\n\n")[0],
            tuple(_in(function.body, (), refusing)),
        )
        for function in functions
    ]
    return [checks for checks in found if checks.conditions]


def _refusing(functions: Iterable[ast.FunctionDef]) -> frozenset[str]:
    """The functions that can refuse a call, themselves or by a helper."""
    calls = {function.name: set(_called(function)) for function in functions}
    found = {f.name for f in functions if any(_in(f.body, (), frozenset()))}
    for _ in calls:  # so often at most: a helper calls none that calls it
        found |= {name for name, called in calls.items() if called & found}
    return frozenset(found)


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


def _lacking(rule: ast.FunctionDef, stated: Collection[str]) -> dict[str, Any]:
    """The values of the attributes that a version lacks: the rule's defaults."""
    pairs = zip(rule.args.kwonlyargs, rule.args.kw_defaults, strict=True)
    return {
        argument.arg: ast.literal_eval(default)
        for argument, default in pairs
        if default is not None and argument.arg not in stated
    }


def _called(function: ast.FunctionDef) -> Iterator[str]:
    for node in ast.walk(function):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            yield node.func.id


def _decided(function: ast.FunctionDef, known: Mapping[str, Any]) -> ast.FunctionDef:
    """The function without the statements that can never be reached, given what is known."""
    own = {argument.arg for argument in function.args.args}
    decided = _Known({name: value for name, value in known.items() if name not in own})
    result = decided.visit(function)
    assert isinstance(result, ast.FunctionDef)
    return result


class _Known(ast.NodeTransformer):
    """Puts values in the place of names, and decides what follows from them."""

    def __init__(self, known: Mapping[str, Any]) -> None:
        self.known = known

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if node.id in self.known and isinstance(node.ctx, ast.Load):
            return ast.copy_location(ast.Constant(self.known[node.id]), node)
        return node

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.op, ast.Not) and isinstance(node.operand, ast.Constant):
            return ast.copy_location(ast.Constant(not node.operand.value), node)
        return node

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.AST:
        self.generic_visit(node)
        decides = isinstance(node.op, ast.Or)
        parts: list[ast.expr] = []
        for part in node.values:
            if not isinstance(part, ast.Constant):
                parts.append(part)
            elif bool(part.value) is decides:
                return ast.copy_location(ast.Constant(decides), node)
        if len(parts) < 2:
            return parts[0] if parts else ast.copy_location(ast.Constant(not decides), node)
        node.values = parts
        return node

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.ops[0], (ast.Is, ast.IsNot)) and isinstance(node.left, ast.Constant):
            absent = node.left.value is None
            holds = absent if isinstance(node.ops[0], ast.Is) else not absent
            return ast.copy_location(ast.Constant(holds), node)
        return node

    def visit_IfExp(self, node: ast.IfExp) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.test, ast.Constant):
            return node.body if node.test.value else node.orelse
        return node

    def visit_If(self, node: ast.If) -> ast.AST | list[ast.stmt]:
        self.generic_visit(node)
        if isinstance(node.test, ast.Constant):
            return node.body if node.test.value else node.orelse
        return node


def _in(
    statements: list[ast.stmt], where: tuple[str, ...], refusing: Collection[str]
) -> Iterator[Condition | Call]:
    """What statements check, in their order; ``refusing`` are the helpers that are to be named."""
    for statement in statements:
        if isinstance(statement, ast.If):
            yield from _calls(statement.test, where, refusing)
            test = ast.unparse(statement.test)
            yield from _in(statement.body, (*where, f"if {test}"), refusing)
            yield from _in(statement.orelse, (*where, f"unless {test}"), refusing)
        elif isinstance(statement, ast.For):
            yield from _calls(statement.iter, where, refusing)
            head = f"for each {ast.unparse(statement.target)} in {ast.unparse(statement.iter)}"
            yield from _in(statement.body, (*where, head), refusing)
        else:
            yield from _calls(statement, where, refusing)
            if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
                yield from _refusal(statement.value, where)


def _calls(node: ast.AST, where: tuple[str, ...], refusing: Collection[str]) -> Iterator[Call]:
    """The calls of helpers that refuse something, those of arguments before what takes them."""
    for child in ast.iter_child_nodes(node):
        yield from _calls(child, where, refusing)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in refusing:
        yield Call(where, ast.unparse(node))


def _refusal(call: ast.Call, where: tuple[str, ...]) -> Iterator[Condition]:
    if isinstance(call.func, ast.Name) and call.func.id in _REFUSALS:
        condition, message = call.args
        if isinstance(condition, ast.Constant) and condition.value:
            return  # it always holds here
        yield Condition(where, ast.unparse(condition), _REFUSALS[call.func.id], _words(message))


def _words(message: ast.expr) -> str:
    """The text of a message; what is filled in stands in braces."""
    if isinstance(message, ast.Constant):
        return str(message.value)
    if isinstance(message, ast.JoinedStr):
        return "".join(
            _filled(part.value) if isinstance(part, ast.FormattedValue) else _words(part)
            for part in message.values
        )
    return ast.unparse(message)


def _filled(value: ast.expr) -> str:
    """What a message fills in, in braces; of a number with its noun, the plural."""
    if isinstance(value, ast.Call) and ast.unparse(value.func) == "counted":
        words = [str(word.value) for word in value.args[1:] if isinstance(word, ast.Constant)]
        many = words[1] if len(words) > 1 else f"{words[0]}s"
        return f"{{{ast.unparse(value.args[0])}}} {many}"
    return f"{{{ast.unparse(value)}}}"
