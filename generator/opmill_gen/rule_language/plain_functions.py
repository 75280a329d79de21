"""Signatures of a family's functions in plain Python, which also exist in plain C.

A rule calls them; nothing here reads their bodies. What an annotation says of a result is trusted:
a test of the family compares the two languages.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from dataclasses import dataclass

from opmill_gen.rule_language import ir
from opmill_gen.rule_language.ir import Kind
from opmill_gen.rule_language.ranges import COUNT, INT64, LENGTH, Interval

Fault = Callable[[ast.AST, str], Exception]
"""The exception that reports a fault at a node."""
_PARAMETERS = {"str": Kind.STR, "int": Kind.INT}
_TUPLE = re.compile(r"tuple\[int(?:, int)*\]")


@dataclass(frozen=True)
class PlainFunction:
    """A function with the kinds of its parameters, and what is known of its result.

    Args:
        family: the family that defines it.
        name: the function.
        parameters: texts and integers.
        result: an integer or a list of integers.
        length: the range of a list's length.
        items: the range of a list's values.
    """

    family: str
    name: str
    parameters: tuple[Kind, ...]
    result: Kind
    length: Interval = LENGTH
    items: Interval = INT64


def read_functions(family: str, module: ast.Module, fault: Fault) -> dict[str, PlainFunction]:
    """The public functions of a family's ``functions.py`` by their names.

    Raises:
        Unsupported: an annotation is not one that both languages have.
    """
    found = {}
    for node in module.body:
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
            found[node.name] = _function(family, node, fault)
    return found


def _function(family: str, node: ast.FunctionDef, fault: Fault) -> PlainFunction:
    parameters = []
    given = node.args
    if len(given.args) < sum(1 for child in ast.walk(given) if isinstance(child, ast.arg)) or (
        given.defaults
    ):
        raise fault(node, f"'{node.name}' takes all its arguments by position, and has no default")
    for argument in given.args:
        kind = _PARAMETERS.get(ast.unparse(argument.annotation) if argument.annotation else "")
        if kind is None:
            raise fault(argument, f"annotate '{argument.arg}' as str or int")
        parameters.append(kind)
    result = ast.unparse(node.returns) if node.returns else ""
    taken = (family, node.name, tuple(parameters))
    if result == "int":
        return PlainFunction(*taken, Kind.INT)
    if result == "Indices":
        return PlainFunction(*taken, Kind.INTS, COUNT, Interval(0, ir.MAX_LIST - 1))
    if _TUPLE.fullmatch(result) and (count := result.count("int")) <= ir.MAX_LIST:
        return PlainFunction(*taken, Kind.INTS, Interval(count, count))
    raise fault(node, f"annotate what '{node.name}' returns as int, Indices or tuple[int, ...]")
