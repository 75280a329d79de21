"""The types of a node's outputs, as far as its schema, inputs and attributes tell them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain, repeat
from typing import Any

import numpy as np

from opmill._runtime.schema import Parameter, Schema
from opmill._runtime.sparse import SparseTensor
from opmill._runtime.types import element_of_code, element_word


def result_types(
    schema: Schema, inputs: Sequence[str | None], attributes: Mapping[str, Any]
) -> list[str | None]:
    """ONNX's word for the type of each output, ``None`` where it is unknown.

    Args:
        schema: the operator version.
        inputs: the types of the inputs.
        attributes: those that the node has.
    """
    bound: dict[str, str] = {}
    last = schema.inputs[-1:]
    rest: Any = repeat(last[0]) if last and last[0].option == "variadic" else ()
    for parameter, word in zip(chain(schema.inputs, rest), inputs, strict=False):
        if word is not None:
            bound.setdefault(parameter.type, word)
    outputs = schema.outputs
    if outputs and outputs[-1].option == "variadic":
        outputs = (*outputs, *[outputs[-1]] * 63)
    return [_type(schema, parameter, bound, attributes) for parameter in outputs]


def _type(
    schema: Schema, parameter: Parameter, bound: Mapping[str, str], attributes: Mapping[str, Any]
) -> str | None:
    if parameter.type in bound:
        return bound[parameter.type]
    if parameter.type not in schema.type_constraints:
        return parameter.type
    word = _source_type(schema, parameter, bound, attributes)
    if word is None:
        return None
    inner = word.removeprefix("optional(").removeprefix("seq(" if word.startswith("seq(") else "")
    inside = inner[:-1] if inner != word else word
    candidates = (word, f"seq({word})", f"optional({word})", inside)
    allowed = schema.type_constraints[parameter.type]
    return next((one for one in candidates if one in allowed), word)


def _source_type(
    schema: Schema, parameter: Parameter, bound: Mapping[str, str], attributes: Mapping[str, Any]
) -> str | None:
    """The type given by an attribute or an input; for a sequence it may be that of its tensors."""
    for source in parameter.type_from:
        if source.attribute is not None and source.fixed is not None:
            if _is_given(schema, source.attribute, attributes):
                return source.fixed
        elif source.attribute is not None:
            named = attributes.get(source.attribute)
            if isinstance(named, SparseTensor):
                named = named.values
            if isinstance(named, str) and "(" in named:
                return named
            if isinstance(named, np.ndarray):
                word = element_word(named.dtype)
            else:
                word = element_of_code(named)
            if word is not None:
                return f"tensor({word})"
        elif source.variable is not None and source.fixed is not None:
            if bound.get(source.variable) not in (None, source.fixed):
                return source.fixed
        elif source.variable is not None and source.variable in bound:
            return bound[source.variable]
        elif source.fixed is not None:
            return source.fixed if "(" in source.fixed else f"tensor({source.fixed})"
    return None


def _is_given(schema: Schema, name: str, attributes: Mapping[str, Any]) -> bool:
    """Return whether a node has an attribute; of a flag, whether it is 1."""
    flags = {one.name: one.default for one in schema.attributes if one.is_flag}
    if name in flags:
        return bool(attributes.get(name, flags[name]) == 1)
    return attributes.get(name) is not None
