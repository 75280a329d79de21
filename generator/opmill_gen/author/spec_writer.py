"""A spec file's text from the facts that onnx has, laid out as the project's own specs are.

What only a person can write (prose, family, examples, changes) is left as a gap that says what
belongs there.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from opmill_gen.base.names import is_onnx_name
from opmill_gen.onnx.facts import (
    DIFFERENTIABLE,
    OPTIONS,
    attribute_default,
    determinism,
    has_function,
)
from opmill_gen.yaml_reader.decode import GAP
from opmill_gen.yaml_reader.tree import natural

_WIDTH = 110
_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_./()-]*\Z")

SUMMARY = "what it computes, in your own words - formulas, shapes, edge cases"
INPUT = "its contents, and its shape"
OUTPUT = "its contents, and its shape"
ATTRIBUTE = "its meaning, its range, and the behaviour when it is absent"
WORD = "what it means; list its words, if it has a fixed set, under the key allowed"
TYPES = "what the types are for"
UNUSED = "why no parameter has this type"
TYPE_FROM = "where the type comes from, as a list of {attribute ...}, {variable ...} or {fixed ...}"
FAMILY = "the family that computes it, one of those in families or a new one"
ACCURACY = "exact, or {rtol ..., atol ...} for each floating type and a comment that says why"
EXAMPLES = "a list of calls and their results, from published examples or calculated by hand"
REJECTS = "a list of invalid calls, with their exact messages"


def changes_gap(previous: str) -> str:
    """The gap of ``changes`` in a version that follows ``previous``, as ``Tile-6``."""
    return gap(f"a list of what differs from {previous} in meaning, each with what shows it")


def gap(what: str) -> str:
    """The value of a gap that somebody has still to fill."""
    return f"{GAP} {what}"


def spec_text(schema: Any, domain: str, previous: int | None, release: str) -> str:
    """The text of a spec file.

    Args:
        schema: the operator version, an ``onnx.defs.OpSchema``.
        domain: its domain, as spec files write it.
        previous: the version before it, ``None`` where it is the first.
        release: what the schema is of, as ``onnx 1.23.2``.
    """
    return "\n".join(_lines(schema, domain, previous, release)) + "\n"


def cases_text() -> str:
    """The text of a file of cases, with a gap for each list."""
    return f"examples: {gap(EXAMPLES)}\n\nrejects: {gap(REJECTS)}\n"


def _lines(schema: Any, domain: str, previous: int | None, release: str) -> Iterator[str]:
    yield f"operator: {schema.name}"
    yield f"domain: {domain}"
    node_domain = getattr(schema, "node_domain", None)  # onnx's schemas have none
    if node_domain is not None:
        yield f"node_domain: {node_domain}"
    yield f"since_version: {schema.since_version}"
    yield f"support_level: {schema.support_level.name.lower()}"
    yield f"function: {_truth(bool(has_function(schema)))}"
    yield f"shape_inference: {_truth(schema.has_type_and_shape_inference_function)}"
    yield f"deprecated: {_truth(schema.deprecated)}"
    yield f"determinism: {determinism(schema) or 'unknown'}"
    yield f"summary: {gap(SUMMARY)}"
    yield ""
    yield from _section("inputs", [_parameter(schema, i, is_input=True) for i in schema.inputs])
    yield from _section("outputs", [_parameter(schema, o, is_input=False) for o in schema.outputs])
    yield from _section("attributes", [_attribute(schema, n) for n in sorted(schema.attributes)])
    yield from _type_constraints(schema)
    yield f"family: {gap(FAMILY)}"
    yield ""
    yield f"accuracy: {gap(ACCURACY)}"
    yield ""
    if previous is not None:
        yield f"changes: {changes_gap(f'{schema.name}-{previous}')}"
        yield ""
    package, _, number = release.partition(" ")
    yield f"source: {{{package}: {number}}}"


def _section(name: str, items: list[dict[str, str]]) -> Iterator[str]:
    """A list of mappings, a key a line."""
    yield f"{name}:" if items else f"{name}: []"
    for item in items:
        for position, (key, value) in enumerate(item.items()):
            yield f"  {'- ' if position == 0 else '  '}{key}: {value}"
    yield ""


def _parameter(schema: Any, formal: Any, *, is_input: bool) -> dict[str, str]:
    keys = {"name": yaml_scalar(formal.name), "type": yaml_scalar(formal.type_str)}
    option = OPTIONS[formal.option.name]
    if option != "single":
        keys["option"] = option
    if not formal.is_homogeneous:
        keys["homogeneous"] = "false"
    if formal.min_arity != 1:
        keys["min_arity"] = str(formal.min_arity)
    differentiable = DIFFERENTIABLE[formal.differentiation_category.name]
    if differentiable is not None:
        keys["differentiable"] = _truth(differentiable)
    if not is_onnx_name(formal.name):
        keys["python_name"] = re.sub(r"[^A-Za-z0-9_]", "", formal.name)
    if not is_input and _is_unbound(schema, formal.type_str):
        keys["type_from"] = gap(TYPE_FROM)
    keys["description"] = gap(INPUT if is_input else OUTPUT)
    return keys


def _is_unbound(schema: Any, type_: str) -> bool:
    """True if an output's type is a variable that no input binds, and allows several types."""
    variables = {
        constraint.type_param_str
        for constraint in schema.type_constraints
        if len(constraint.allowed_type_strs) > 1
    }
    return type_ in variables - {formal.type_str for formal in schema.inputs}


def _attribute(schema: Any, name: str) -> dict[str, str]:
    attribute = schema.attributes[name]
    kind = attribute.type.name
    keys = {"name": yaml_scalar(name), "kind": kind}
    if attribute.required:
        keys["required"] = "true"
    default = attribute_default(attribute)
    if default is not None:
        keys["default"] = _default(default)
    if name in {formal.name for formal in schema.inputs}:
        keys["python_name"] = f"{name}_attribute"
    keys["description"] = gap(WORD if kind == "STRING" else ATTRIBUTE)
    return keys


def _default(value: Any) -> str:
    if isinstance(value, tuple):
        return f"[{', '.join(map(_default, value))}]"
    if isinstance(value, float):
        return _float(value)
    if isinstance(value, int):
        return str(value)
    if isinstance(value, str):
        return yaml_scalar(value)
    return gap(f"the {type(value).__name__} that onnx gives")


def _float(value: float) -> str:
    """The shortest decimal that the float32 is nearest to: 1e-05 and not 9.99999974737875e-06."""
    import numpy as np

    return str(np.float32(value))


def _type_constraints(schema: Any) -> Iterator[str]:
    used = {formal.type_str for formal in (*schema.inputs, *schema.outputs)}
    yield "type_constraints:" if schema.type_constraints else "type_constraints: {}"
    for constraint in schema.type_constraints:
        yield f"  {constraint.type_param_str}:"
        yield from _types(sorted(constraint.allowed_type_strs))
        unused = constraint.type_param_str not in used
        if unused:
            yield "    unused: true"
        yield f"    description: {gap(UNUSED if unused else TYPES)}"
    yield ""


def _types(types: list[str]) -> Iterator[str]:
    """The types on one line, or filled into several."""
    line = f"    types: [{', '.join(map(yaml_scalar, types))}]"
    if len(line) <= _WIDTH:
        yield line
        return
    yield "    types:"
    row = "      ["
    for position, item in enumerate(map(yaml_scalar, types)):
        piece = item + (", " if position < len(types) - 1 else "]")
        if len((row + piece).rstrip()) > _WIDTH:
            yield row.rstrip()
            row = "       "
        row += piece
    yield row


def yaml_scalar(text: str) -> str:
    """Text as it is where YAML reads it as that text, else in double quotes."""
    if _PLAIN.match(text) and isinstance(natural(text), str) and not text.startswith(GAP):
        return text
    return json.dumps(text, ensure_ascii=False)


def _truth(value: bool) -> str:
    return "true" if value else "false"
