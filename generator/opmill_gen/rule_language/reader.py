"""Reader of expressions: the kinds of lists, faults, and dispatch to the method for a node.

Faults end the expression they stand in (``Unsupported``); the statement's other parts are
reported by later runs, other statements in this one.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from types import MappingProxyType

from opmill_gen.base.diagnostics import Diagnostic, Location
from opmill_gen.rule_language import ir
from opmill_gen.rule_language.ir import Kind
from opmill_gen.rule_language.plain_functions import PlainFunction
from opmill_gen.rule_language.ranges import Interval
from opmill_gen.rule_language.scope import Scope, Value

LISTS = (Kind.INTS, Kind.FLOATS, Kind.STRS)
ITEM_KINDS = {
    Kind.INTS: Kind.INT,
    Kind.FLOATS: Kind.FLOAT,
    Kind.STRS: Kind.STR,
    Kind.TENSORS: Kind.TENSOR,
}


LISTS_OF = {Kind.INT: Kind.INTS, Kind.FLOAT: Kind.FLOATS}
"""The lists that a rule can make, by the kind of their values."""


class Unsupported(Exception):
    """An expression or statement is not of the language."""

    def __init__(self, location: Location, message: str) -> None:
        super().__init__(message)
        self.diagnostic = Diagnostic(location, message)


class Consequence(Unsupported):
    """Something is unknown because of a fault that has been reported."""


class Reader:
    """Reads expressions at a point of a rule.

    Args:
        path: the rule file, for messages.
        helpers: the helpers that can be called here.
        plain: the plain functions that can be called here.
    """

    def __init__(
        self,
        path: str,
        helpers: Mapping[str, ir.Helper],
        plain: Mapping[str, PlainFunction] = MappingProxyType({}),
    ) -> None:
        self.path = path
        self.helpers = helpers
        self.plain = plain
        self.returned: dict[str, Value] = {}
        self.in_context: Callable[[str, list[Value], Scope], Value | None] = lambda *_: None
        """What a helper gives for these arguments, in atoms of the scope that calls it."""
        self.broken: set[str] = set()
        self.lists: set[str] = set()

    def fault(self, node: ast.AST, message: str) -> Unsupported:
        """The exception that reports a fault at a node."""
        return Unsupported(self.location(node), message)

    def location(self, node: ast.AST) -> Location:
        """The location of a node."""
        return Location(self.path, getattr(node, "lineno", 1), getattr(node, "col_offset", 0) + 1)

    def read(self, node: ast.expr, scope: Scope) -> Value:
        """Any expression."""
        method = getattr(self, f"read_{type(node).__name__}", None)
        if method is None:
            raise self.fault(node, f"'{excerpt(node)}' is not part of the rule language")
        value: Value = method(node, scope)
        return value

    def of_kind(self, node: ast.expr, scope: Scope, kind: Kind) -> Value:
        """An expression that must be of a kind."""
        value = self.read(node, scope)
        if value.kind is not kind:
            hint = ""
            if kind is Kind.BOOL:
                hint = "; write the comparison out, as x != 0 or len(x) > 0"
            raise self.fault(
                node,
                f"'{excerpt(node)}' is {value.kind.value}, expected {kind.value}{hint}",
            )
        return value

    def bounded(self, node: ast.expr, length: Interval) -> None:
        """Refuse a list of the rule's own that may be too long."""
        if length.high > ir.MAX_LIST:
            raise self.fault(
                node,
                f"this list may hold more than {ir.MAX_LIST} values; "
                "bound its length with require first",
            )


def excerpt(node: ast.AST) -> str:
    """The source of a node, for a message."""
    text = ast.unparse(node)
    return text if len(text) <= 40 else text[:37] + "..."


def constant_text(constant: ir.Constant) -> str:
    """A constant in a message."""
    if isinstance(constant.value, float):
        return f"{constant.value:.9g}"
    return str(constant.value)
