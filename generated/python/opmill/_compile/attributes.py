"""The attributes of a node as the initializer of the operator's struct in C."""

from __future__ import annotations

from typing import Any

import numpy as np

from opmill._compile.literals import (
    c_type,
    dims_text,
    element_lines,
    float_text,
    is_supported,
    member_text,
    string_text,
    type_constant,
)
from opmill._compile.network import OpenCall
from opmill._model.errors import ModelError
from opmill._runtime.schema import Attribute
from opmill._runtime.types import element_word

_ABSENT = {
    "FLOAT": "OPMILL_FLOAT_ABSENT",
    "INT": "OPMILL_INT_ABSENT",
    "INTS": "OPMILL_INTS_ABSENT",
    "FLOATS": "OPMILL_FLOATS_ABSENT",
    "STRINGS": "OPMILL_STRINGS_ABSENT",
}
"""Initializers of attributes that a call lacks; NULL for other kinds."""

_LISTS = {"INTS": "int64_t", "FLOATS": "float", "STRINGS": "char *const"}
"""The C types of the elements of lists."""


def attribute_lines(call: OpenCall) -> tuple[list[str], list[str] | None]:
    """Declarations, and the initializers of the struct's members, which need them.

    The members are in the order of the schema; ``None`` for an operator without attributes.

    Raises:
        ModelError: an attribute has no form in C.
    """
    lines: list[str] = []
    values = [
        _member(attribute, call.attributes.get(attribute.name), lines)
        for attribute in call.schema.attributes
    ]
    return lines, values or None


def _member(attribute: Attribute, value: Any, lines: list[str]) -> str:
    kind, name = attribute.kind, f"a_{attribute.name}"
    is_list = kind in _LISTS
    if value is None and not is_list:  # the library knows the defaults of lists
        value = attribute.default
    if value is None:
        return _ABSENT.get(kind, "NULL")
    if kind in ("INT", "FLOAT"):
        text = _element(f"{kind}S", value)
        return text if attribute.required or attribute.default is not None else f"{{{text}, 1}}"
    if kind == "STRING":
        return string_text(_text(value))
    if is_list:
        texts = [_element(kind, one) for one in value]
        lines.append(f"static const {_LISTS[kind]} {name}[] = {{{', '.join(texts) or '0'}}};")
        return f"{{{name}, {len(texts)}}}"
    if kind == "TENSOR":
        return _tensor(name, np.asarray(value), lines)
    raise ModelError(f"the attribute {attribute.name} is a {kind}, which C cannot fold")


def _element(kind: str, value: Any) -> str:
    if kind == "STRINGS":
        return string_text(_text(value))
    if kind == "FLOATS":
        return float_text(float(value), single=True)
    return member_text("int64_t", value) or "0"


def _text(value: Any) -> str:
    return value.decode() if isinstance(value, bytes) else str(value)


def _tensor(name: str, array: Any, lines: list[str]) -> str:
    word = element_word(array.dtype) or str(array.dtype)
    if not is_supported(word):
        raise ModelError(f"an attribute has type {word}, expected numbers of whole bytes")
    lines.append(f"static const {c_type(word)} {name}_data[] = {{")
    lines += [*element_lines(array, word), "};"]
    dims = "NULL"
    if array.ndim:
        dims = f"{name}_dims"
        lines.append(f"static const int64_t {dims}[] = {{{dims_text(array.shape)}}};")
    tensor = f"{{(void *){name}_data, {dims}, {array.ndim}, {type_constant(word)}}}"
    lines.append(f"const opmill_tensor {name} = {tensor};")
    return f"&{name}"
