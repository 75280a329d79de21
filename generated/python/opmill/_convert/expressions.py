"""The expressions of an entry of ``conversions.json``: a small part of Python, without ``eval``.

Names, literals, lists, arithmetic, comparisons, ``and or not``, ``a if c else b``, subscripts,
comprehensions, and calls of the functions that are given. No attribute of a value can be read.
"""

from __future__ import annotations

import ast
import operator
from collections import ChainMap
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any

_MAX_POWER = 1024
"""Maximum exponent of ``**``."""

_BINARY: Mapping[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul,
    ast.Div: operator.truediv, ast.FloorDiv: operator.floordiv, ast.Mod: operator.mod,
}  # fmt: skip

_UNARY: Mapping[type[ast.unaryop], Callable[[Any], Any]] = {
    ast.Not: operator.not_, ast.USub: operator.neg,
}  # fmt: skip

_COMPARED: Mapping[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Lt: operator.lt, ast.LtE: operator.le,
    ast.Gt: operator.gt, ast.GtE: operator.ge, ast.Is: operator.is_, ast.IsNot: operator.is_not,
    ast.In: lambda one, many: one in many, ast.NotIn: lambda one, many: one not in many,
}  # fmt: skip

Names = Mapping[str, Any]


class ExpressionError(ValueError):
    """A text that is no expression of this language."""


class LazyNames(Mapping[str, Any]):
    """Names of values and of expressions, which are computed at their first use."""

    def __init__(self, known: Mapping[str, Any], texts: Mapping[str, str]) -> None:
        self._known, self._texts = dict(known), dict(texts)
        self._begun: set[str] = set()

    def __getitem__(self, name: str) -> Any:
        if name in self._texts:
            if name in self._begun:
                raise ExpressionError(f"'{name}' is defined by itself")
            self._begun.add(name)
            try:
                self._known[name] = value_of(self._texts[name], self)
            finally:
                self._begun.discard(name)
            del self._texts[name]
        return self._known[name]

    def __iter__(self) -> Iterator[str]:
        return iter({**self._known, **self._texts})

    def __len__(self) -> int:
        return len({**self._known, **self._texts})


def value_of(text: str, names: Names) -> Any:
    """The value of an expression.

    Args:
        text: the expression.
        names: the values and functions that it can use.

    Raises:
        ExpressionError: it is none of this language, or uses an unknown name.
    """
    return _value(_parsed(text), names)


@cache
def _parsed(text: str) -> ast.expr:
    try:
        return ast.parse(text.strip(), "<conversions.yaml>", "eval").body
    except SyntaxError as error:
        raise ExpressionError(f"'{text}' is no expression: {error.msg}") from None


def _value(node: ast.expr, names: Names) -> Any:
    found = _NODES.get(type(node))
    if found is None:
        raise ExpressionError(f"'{ast.unparse(node)}' is not supported in an expression")
    return found(node, names)


def _name(node: ast.Name, names: Names) -> Any:
    if node.id not in names:
        raise ExpressionError(f"'{node.id}' is unknown in an expression")
    return names[node.id]


def _list(node: ast.List | ast.Tuple, names: Names) -> Any:
    found: list[Any] = []
    for one in node.elts:
        if isinstance(one, ast.Starred):
            found.extend(_value(one.value, names))
        else:
            found.append(_value(one, names))
    return found if isinstance(node, ast.List) else tuple(found)


def _binary(node: ast.BinOp, names: Names) -> Any:
    left, right = _value(node.left, names), _value(node.right, names)
    if isinstance(node.op, ast.Pow):
        if right > _MAX_POWER:
            raise ExpressionError(f"'{ast.unparse(node)}' is too large")
        return left**right
    return _operator(_BINARY, node.op, node)(left, right)


def _unary(node: ast.UnaryOp, names: Names) -> Any:
    return _operator(_UNARY, node.op, node)(_value(node.operand, names))


def _boolean(node: ast.BoolOp, names: Names) -> Any:
    wanted = isinstance(node.op, ast.Or)
    found: Any = not wanted
    for one in node.values:
        found = _value(one, names)
        if bool(found) is wanted:
            break
    return found


def _compared(node: ast.Compare, names: Names) -> Any:
    left = _value(node.left, names)
    for one, other in zip(node.ops, node.comparators, strict=True):
        right = _value(other, names)
        if not _operator(_COMPARED, one, node)(left, right):
            return False
        left = right
    return True


def _operator(table: Mapping[Any, Callable[..., Any]], one: ast.AST, node: ast.expr) -> Any:
    found = table.get(type(one))
    if found is None:
        raise ExpressionError(f"'{ast.unparse(node)}' is not supported in an expression")
    return found


def _called(node: ast.Call, names: Names) -> Any:
    if not isinstance(node.func, ast.Name) or node.keywords:
        raise ExpressionError(f"'{ast.unparse(node)}' is not supported in an expression")
    function = _name(node.func, names)
    arguments = _list(ast.List(node.args, ast.Load()), names)
    return function(*arguments)


def _subscript(node: ast.Subscript, names: Names) -> Any:
    value, at = _value(node.value, names), node.slice
    if not isinstance(at, ast.Slice):
        return value[_value(at, names)]
    parts = (None if one is None else _value(one, names) for one in (at.lower, at.upper, at.step))
    return value[slice(*parts)]


def _comprehension(node: ast.ListComp | ast.GeneratorExp, names: Names) -> Any:
    found = (_value(node.elt, inner) for inner in _rounds(node.generators, names))
    return list(found) if isinstance(node, ast.ListComp) else found


def _rounds(generators: list[ast.comprehension], names: Names) -> Iterator[Names]:
    """The names of each round of a comprehension."""
    if not generators:
        yield names
        return
    first, *rest = generators
    for item in _value(first.iter, names):
        inner = ChainMap(_bound(first.target, item), names)  # type: ignore[arg-type]
        if all(_value(one, inner) for one in first.ifs):
            yield from _rounds(rest, inner)


def _bound(target: ast.expr, item: Any) -> dict[str, Any]:
    if isinstance(target, ast.Name):
        return {target.id: item}
    if not isinstance(target, ast.Tuple):
        raise ExpressionError(f"'{ast.unparse(target)}' is not supported in an expression")
    found: dict[str, Any] = {}
    for one, part in zip(target.elts, item, strict=True):
        found.update(_bound(one, part))
    return found


def _chosen(node: ast.IfExp, names: Names) -> Any:
    return _value(node.body if _value(node.test, names) else node.orelse, names)


def _literal(node: ast.Constant, names: Names) -> Any:
    return node.value


_NODES: Mapping[type[ast.expr], Callable[[Any, Names], Any]] = {
    ast.Name: _name, ast.Constant: _literal, ast.List: _list, ast.Tuple: _list,
    ast.BinOp: _binary, ast.UnaryOp: _unary, ast.BoolOp: _boolean, ast.Compare: _compared,
    ast.Call: _called, ast.Subscript: _subscript, ast.ListComp: _comprehension,
    ast.GeneratorExp: _comprehension, ast.IfExp: _chosen,
}  # fmt: skip
