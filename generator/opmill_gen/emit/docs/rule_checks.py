"""The conditions of a rule, in the order in which they are checked, for the manual.

A helper's conditions stand where the rule calls it, with the call's arguments in place of the
helper's parameters.

What a version decides, by the family's parameters or by attributes that it lacks, is worked out, so
that only what it checks is listed.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, TypeVar

from opmill_gen.check.result import CheckedVersion
from opmill_gen.check.rule_signature import rule_name
from opmill_gen.spec.operator_version import Option

_REFUSALS = {
    "require": "ShapeError",
    "require_attribute": "AttributeValueError",
    "require_type": "TypeConstraintError",
}
_RULE = "rules"
_Node = TypeVar("_Node", bound=ast.AST)
_SHARED = "_shared."
_SHORT = 24
"""Local values with expressions of so many characters are shown by the expression."""


@dataclass(frozen=True)
class _Scope:
    """Names that the functions of a rule file may refer to: each other, and what every call has."""

    functions: Mapping[str, ast.FunctionDef]
    present: frozenset[str]


@dataclass(frozen=True)
class Condition:
    """One condition: where it applies, what must hold, and the words of the refusal.

    ``origin`` is the function that states it, and the line there.
    """

    where: tuple[str, ...]
    holds: str
    error: str
    message: str
    origin: tuple[str, int] = field(default=("", 0), compare=False)


def checks_of(version: CheckedVersion) -> tuple[Condition, ...]:
    """Checks of a version."""
    instance = version.instance
    _, stated, present = checks_key(version)
    parameters = instance.rule_parameters
    return conditions(instance.rule.text, instance.shared_rules, parameters, stated, present)


def checks_key(version: CheckedVersion) -> tuple[str, tuple[str, ...], tuple[str, ...]]:
    """Key under which versions with identical checks are grouped."""
    spec = version.spec
    stated = [rule_name(spec, attribute) for attribute in spec.attributes]
    present = [
        *(rule_name(spec, one) for one in spec.inputs if one.option is not Option.OPTIONAL),
        *(
            rule_name(spec, one)
            for one in spec.attributes
            if one.required or one.default is not None
        ),
    ]
    return version.instance.rules_name, tuple(stated), tuple(present)


def conditions(
    text: str,
    shared: Mapping[str, tuple[str, str]],
    parameters: Mapping[str, Any],
    stated: Collection[str],
    present: Collection[str] = (),
) -> tuple[Condition, ...]:
    """The conditions of a rule and of the helpers that it calls.

    Args:
        text: a rule file that the compiler has accepted.
        shared: the helpers that families share: module name -> (path, text).
        parameters: the family's parameters, as the version has them.
        stated: the attributes that the version has, by the rule's names.
        present: the inputs and attributes that every call has, by the rule's names.
    """
    named = {function.name: function for function in _functions(_parsed(text), shared)}
    known = {**parameters, **_lacking(named[_RULE], stated)}
    values = {name: ast.Constant(value) for name, value in known.items()}
    return tuple(_checks(named[_RULE], (), values, _Scope(named, frozenset(present))))


def _checks(
    function: ast.FunctionDef,
    where: tuple[str, ...],
    values: Mapping[str, ast.expr],
    scope: _Scope,
) -> Iterator[Condition]:
    """Checks of a function, with values in place of some of its names."""
    decided = _Known(values, scope.present).visit(_cloned(function))
    assert isinstance(decided, ast.FunctionDef)
    short = _short_values(decided)
    if short:
        decided = _Known(short).visit(decided)
        assert isinstance(decided, ast.FunctionDef)
    yield from _in(decided.body, where, decided.name, scope)


def _short_values(function: ast.FunctionDef) -> dict[str, ast.expr]:
    """The local values that have one short expression for all of the function."""
    stored = Counter(
        node.id
        for node in ast.walk(function)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    )
    found: dict[str, ast.expr] = {}
    for statement in function.body:
        if not isinstance(statement, ast.Assign):
            continue
        (target,) = statement.targets
        plain = isinstance(
            statement.value, (ast.Constant, ast.Name, ast.Attribute, ast.UnaryOp, ast.BinOp)
        )
        if isinstance(target, ast.Name) and stored[target.id] == 1 and plain:
            value = _Known(found).visit(_cloned(statement.value))
            calls = any(isinstance(node, (ast.Call, ast.List)) for node in ast.walk(value))
            if not calls and len(ast.unparse(value)) <= _SHORT:
                found[target.id] = value
    return found


@lru_cache(maxsize=64)
def _parsed(text: str) -> ast.Module:
    """The tree of a rule file, which callers do not change: many versions share a helper."""
    return ast.parse(text)


def _cloned(node: _Node) -> _Node:
    """A copy of a tree, several times as fast as the copy module's."""
    clone = type(node).__new__(type(node))
    for name, value in vars(node).items():
        if isinstance(value, ast.AST):
            value = _cloned(value)
        elif isinstance(value, list):
            value = [_cloned(one) if isinstance(one, ast.AST) else one for one in value]
        setattr(clone, name, value)
    return clone


def _functions(
    module: ast.Module, shared: Mapping[str, tuple[str, str]]
) -> Iterator[ast.FunctionDef]:
    """The functions of a file, and those of the shared files that it imports from."""
    for node in module.body:
        if isinstance(node, ast.FunctionDef):
            yield node
        elif isinstance(node, ast.ImportFrom) and str(node.module).startswith(_SHARED):
            _, text = shared[str(node.module).removeprefix(_SHARED)]
            yield from _functions(_parsed(text), shared)


def _lacking(rule: ast.FunctionDef, stated: Collection[str]) -> dict[str, Any]:
    """The values of the attributes that a version lacks: the rule's defaults."""
    pairs = zip(rule.args.kwonlyargs, rule.args.kw_defaults, strict=True)
    return {
        argument.arg: ast.literal_eval(default)
        for argument, default in pairs
        if default is not None and argument.arg not in stated
    }


class _Known(ast.NodeTransformer):
    """Puts expressions in the place of names, and decides what follows from them."""

    def __init__(
        self, known: Mapping[str, ast.expr], present: frozenset[str] = frozenset()
    ) -> None:
        self.known = known
        self.present = present

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if node.id in self.known and isinstance(node.ctx, ast.Load):
            return ast.copy_location(_cloned(self.known[node.id]), node)
        return node

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.op, ast.Not) and isinstance(node.operand, ast.Constant):
            return ast.copy_location(ast.Constant(not node.operand.value), node)
        if isinstance(node.op, ast.USub) and _is_number(node.operand):
            return ast.copy_location(ast.Constant(ast.literal_eval(node)), node)
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
        constant = isinstance(node.left, ast.Constant)
        given = isinstance(node.left, ast.Name) and node.left.id in self.present
        if isinstance(node.ops[0], (ast.Is, ast.IsNot)) and (constant or given):
            absent = isinstance(node.left, ast.Constant) and node.left.value is None
            holds = absent if isinstance(node.ops[0], ast.Is) else not absent
            return ast.copy_location(ast.Constant(holds), node)
        if all(_is_plain(part) for part in (node.left, *node.comparators)):
            expression = ast.fix_missing_locations(ast.Expression(node))
            return ast.copy_location(ast.Constant(eval(compile(expression, "", "eval"))), node)
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


def _is_number(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and type(node.value) in (int, float)


def _is_plain(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, (int, float, str))


def _in(
    statements: list[ast.stmt], where: tuple[str, ...], function: str, scope: _Scope
) -> Iterator[Condition]:
    """Checks of the statements of a function, in their order."""
    for statement in statements:
        if isinstance(statement, ast.If):
            yield from _calls(statement.test, where, scope)
            test = ast.unparse(statement.test)
            yield from _in(statement.body, (*where, f"if {test}"), function, scope)
            yield from _in(statement.orelse, (*where, f"unless {test}"), function, scope)
            if isinstance(statement.body[-1], ast.Return) and not statement.orelse:
                where = (*where, f"unless {test}")  # what follows is not reached otherwise
        elif isinstance(statement, ast.For):
            yield from _calls(statement.iter, where, scope)
            head = f"for each {ast.unparse(statement.target)} in {ast.unparse(statement.iter)}"
            yield from _in(statement.body, (*where, head), function, scope)
        else:
            yield from _calls(statement, where, scope)
            if isinstance(statement, ast.Return):
                return
            if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
                yield from _refusal(statement.value, where, function)


def _calls(node: ast.AST, where: tuple[str, ...], scope: _Scope) -> Iterator[Condition]:
    """Checks of the helpers that are called in a node, those of arguments first."""
    for child in ast.iter_child_nodes(node):
        yield from _calls(child, where, scope)
    if (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in scope.functions
    ):
        helper = scope.functions[node.func.id]
        names = (argument.arg for argument in helper.args.args)
        yield from _checks(helper, where, dict(zip(names, node.args, strict=True)), scope)


def _refusal(call: ast.Call, where: tuple[str, ...], function: str) -> Iterator[Condition]:
    if isinstance(call.func, ast.Name) and call.func.id in _REFUSALS:
        condition, message = call.args
        if isinstance(condition, ast.Constant) and condition.value:
            return  # it always holds here
        error, origin = _REFUSALS[call.func.id], (function, call.lineno)
        yield Condition(where, ast.unparse(condition), error, _words(message), origin)


def _words(message: ast.expr) -> str:
    """The text of a message, with placeholders in braces."""
    if isinstance(message, ast.Constant):
        return str(message.value)
    if isinstance(message, ast.JoinedStr):
        return "".join(
            _filled(part.value) if isinstance(part, ast.FormattedValue) else _words(part)
            for part in message.values
        )
    return ast.unparse(message)


def _filled(value: ast.expr) -> str:
    """Values that a message fills in, in braces; of a number with its noun, the plural."""
    if isinstance(value, ast.Constant):
        return str(value.value)
    if isinstance(value, ast.Call) and ast.unparse(value.func) == "counted":
        count = value.args[0]
        words = [str(word.value) for word in value.args[1:] if isinstance(word, ast.Constant)]
        many = words[1] if len(words) > 1 else f"{words[0]}s"
        if isinstance(count, ast.Constant):
            return f"{count.value!r} {words[0] if count.value == 1 else many}"
        return f"{{{ast.unparse(count)}}} {many}"
    return f"{{{ast.unparse(value)}}}"
