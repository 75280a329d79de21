"""Pieces of emitted C: types, literals, comparisons, the lines of a block."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from opmill_gen.base.literals import c_string
from opmill_gen.rule_language import ir
from opmill_gen.rule_language.emit_c_names import c_name
from opmill_gen.rule_language.ir import Kind

INDENT = "    "
TYPES = {
    Kind.INT: "int64_t ",
    Kind.BOOL: "bool ",
    Kind.STR: "const char *",
    Kind.FLOAT: "double ",
    Kind.INTS: "opmill_ints ",
    Kind.FLOATS: "opmill_floats ",
    Kind.STRS: "opmill_strings ",
    Kind.TENSOR: "const opmill_tensor *",
    Kind.SPARSE: "const opmill_sparse_tensor *",
    Kind.OPAQUE: "const void *",
}
OPTIONAL_TYPES = {Kind.INT: "opmill_int ", Kind.FLOAT: "opmill_float "}
"""The types of parameters that may be absent, where no value of the plain type can say so."""
LIST_TYPES = {Kind.INTS: "opmill_list ", Kind.FLOATS: "opmill_float_list "}
"""The types of lists that a rule makes."""
PLAN_TYPES = {**LIST_TYPES, Kind.TENSOR: "opmill_tensor "}
"""The types of a plan's members where they are not those of parameters."""
ATTRIBUTE_LISTS = (Kind.INTS, Kind.FLOATS, Kind.STRS)
"""The kinds whose absence a count below 0 says."""


@dataclass
class Block:
    """The lines of a block that is being written."""

    lines: list[str] = field(default_factory=list)

    def add(self, *lines: str) -> None:
        self.lines.extend(lines)


class NotInCError(Exception):
    """A rule uses something that C cannot hold; the text says what."""


def comparison_text(kind: Kind, left: str, relation: ir.Relation, right: str) -> str:
    """One comparison."""
    if kind is Kind.INTS:
        same = f"opmill_same_ints({left}, {right})"
        return same if relation is ir.Relation.EQUAL else f"!{same}"
    if kind is Kind.STR:
        return f"strcmp({left}, {right}) {relation.value} 0"
    if kind is Kind.BOOL:
        left, right = f"({bare(left)})", f"({bare(right)})"
    return f"{left} {relation.value} {right}"


def constant_text(kind: Kind, constant: object) -> str:
    if constant is None:
        return "NULL"
    if kind is Kind.STR:
        return c_string(str(constant))
    if kind is Kind.BOOL:
        return "true" if constant else "false"
    if kind is Kind.FLOAT:
        if not math.isfinite(float(str(constant))):
            raise NotInCError("a constant that is not finite")
        return repr(constant)
    assert isinstance(constant, int)
    if constant == -(2**63):
        return "INT64_MIN"
    return str(constant) if abs(constant) < 2**31 else f"INT64_C({constant})"


def tight(text: str) -> str:
    """An operand that a unary operator binds."""
    plain = text.replace("_", "").replace("->", "").replace(".", "").isalnum()
    return text if plain or bare(text) != text else f"({text})"


def bare(text: str) -> str:
    """An expression without the parentheses around the whole of it."""
    if not text.startswith("(") or not text.endswith(")"):
        return text
    depth = 0
    quoted = False
    for position, char in enumerate(text):
        quoted ^= char == '"' and text[position - 1] != "\\"
        if not quoted:
            depth += (char == "(") - (char == ")")
        if depth == 0 and position < len(text) - 1:
            return text
    return text[1:-1]


def name_of(parameter: ir.Parameter) -> str:
    """A parameter in C: the number of outputs is not called as rules do, like an output may be."""
    if parameter.role is ir.Role.OUTPUT_COUNT:
        return "output_count"
    return c_name(parameter.name)
