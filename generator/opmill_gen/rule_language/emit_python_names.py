"""Names of emitted Python: what the code itself uses, and how a rule's names make way for it."""

from __future__ import annotations

import builtins
import keyword
from collections.abc import Iterable

from opmill_gen.rule_language import ir

_HELPERS = frozenset(
    [
        "Derived",
        "AttributeValueError",
        "Sequence",
        "ShapeError",
        "Tensor",
        "TypeConstraintError",
        "byte_at",
        "byte_count",
        "ceiled",
        "counted",
        "decimal",
        "derived",
        "divided",
        "floored",
        "inside",
        "int64",
        "is_int64",
        "is_prepared",
        "listed",
        "op",
        "quoted",
        "rounded",
        "rules",
    ]
)
HIDDEN = _HELPERS | {"float", "int", "len", "tuple"}
"""Names that the emitted code uses unseen: a keyword of such a name would hide it."""
_TAKEN = frozenset(dir(builtins)) - {"input"} | _HELPERS | frozenset(keyword.kwlist)
"""Names that the emitted code uses itself; a variable of such a name gets an underscore."""


def renamed(program: ir.RuleProgram) -> dict[str, str]:
    """The names of a rule file that are reserved, each with the free name that replaces it."""
    used = _names_of(program)
    names: dict[str, str] = {}
    for name in sorted(used & _TAKEN):
        free = name + "_"
        while free in used:
            free += "_"
        used.add(free)
        names[name] = free
    return names


def _names_of(program: ir.RuleProgram) -> set[str]:
    """Every name of variables and helpers in a rule file."""
    names = {parameter.name for parameter in program.parameters}
    names |= _variables(program.body)
    for helper in program.helpers:
        names |= {helper.name, *(p.name for p in helper.parameters)} | _variables(helper.body)
    return names


def _variables(body: Iterable[ir.Statement]) -> set[str]:
    names: set[str] = set()
    for statement in body:
        match statement:
            case ir.Assign(name):
                names.add(name)
            case ir.If(_, then, otherwise):
                names |= _variables(then) | _variables(otherwise)
            case ir.For(name, _, _, inner):
                names |= {name} | _variables(inner)
    return names
