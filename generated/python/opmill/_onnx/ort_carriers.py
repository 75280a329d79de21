"""Carriers of tensors into and out of a Python operator of onnxruntime-extensions.

Such an operator has fixed element types and a fixed number of inputs and outputs, all required. So
a type that it cannot hold travels as another one, and an input that is left out as an empty tensor.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Mapping
from functools import cache
from typing import Any, NamedTuple

from opmill._onnx.catalog import MAIN_DOMAIN
from opmill._runtime.operator import Operator
from opmill._runtime.registry import operator, operators
from opmill._runtime.schema import Parameter, Schema

DOMAIN = "opmill"
"""The domain of the nodes that this package computes."""

_WHOLE = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")

CARRIERS: Mapping[str, str] = {
    **{word: word for word in ("float", "double", "bool", "string", *_WHOLE)},
    "float16": "float",
    "bfloat16": "float",
}
"""The element types that can get through, and what each travels as."""


@cache
def table() -> Mapping[str, Operator]:
    """Return the operator of each node name: ``Tile_1``; ``com_example_Repeat_2``."""
    return {
        _name(domain, name, version): operator(name, version, domain)
        for domain, name, version in operators()
    }


TEXTUAL_KINDS = ("FLOAT", "INT", "STRING", "FLOATS", "INTS", "STRINGS")
"""The kinds of attributes that a call can say."""


def name_of(schema: Schema) -> str:
    """The name of an operator version's nodes in the domain."""
    return _name(schema.domain, schema.name, schema.since_version)


def _name(domain: str, name: str, version: int) -> str:
    before = "" if domain == MAIN_DOMAIN else f"{domain.replace('.', '_')}_"
    return f"{before}{name}_{version}"


class Signature(NamedTuple):
    """The types by which the inputs and outputs of a Python operator are passed."""

    inputs: tuple[str, ...]
    outputs: tuple[str, ...]


def words_of(schema: Schema, parameter: Parameter) -> tuple[str, ...]:
    """The element types that an input or output may have, as ``float`` for ``tensor(float)``."""
    types = schema.type_constraints.get(parameter.type, (parameter.type,))
    return tuple(t[len("tensor(") : -1] for t in types if t.startswith("tensor("))


def signatures(schema: Schema) -> tuple[Signature, ...]:
    """Each combination of carriers that an operator version needs; none where it cannot travel."""
    if obstacle(schema) is not None:
        return ()
    variables: dict[str, list[str]] = {}
    for parameter in schema.inputs:
        carriers = {CARRIERS[word] for word in words_of(schema, parameter) if word in CARRIERS}
        variables.setdefault(parameter.type, sorted(carriers))
    found: list[Signature] = []
    for chosen in itertools.product(*variables.values()):
        bound = dict(zip(variables, chosen, strict=True))
        found.append(
            Signature(
                tuple(bound[parameter.type] for parameter in schema.inputs),
                tuple(
                    bound.get(parameter.type) or CARRIERS[words_of(schema, parameter)[0]]
                    for parameter in schema.outputs
                ),
            )
        )
    return tuple(found)


def obstacle(schema: Schema) -> str | None:
    """Why an operator version cannot be a Python operator; ``None`` where it can."""
    variables = {parameter.type for parameter in schema.inputs}
    for parameter in (*schema.inputs, *schema.outputs):
        if parameter.option == "variadic":
            return f"{parameter.name} is variadic"
        if not set(words_of(schema, parameter)) & CARRIERS.keys():
            return f"{parameter.name} cannot be a tensor that onnxruntime can hand over"
    for parameter in schema.outputs:
        if parameter.type not in variables and len(words_of(schema, parameter)) != 1:
            return f"the type of {parameter.name} is not that of an input"
    for attribute in schema.attributes:
        if attribute.required and attribute.kind not in TEXTUAL_KINDS:
            return f"{attribute.name} is an attribute of kind {attribute.kind}"
    return None


class Call(NamedTuple):
    """The data that a node of a lowered model passes to its Python operator, in its one attribute.

    Args:
        location: where the node is, for messages.
        inputs: the element type of each input; ``None`` for one that is left out.
        attributes: by name.
        outputs: the requested number of outputs; ``None`` for all.
    """

    location: str
    inputs: tuple[str | None, ...]
    attributes: Mapping[str, Any]
    outputs: int | None = None

    def text(self) -> str:
        """The call as text."""
        return json.dumps(self._asdict())


@cache
def call_of(text: str) -> Call:
    """The call of a text."""
    fields = json.loads(text)
    attributes = {
        name: tuple(value) if isinstance(value, list) else value
        for name, value in fields["attributes"].items()
    }
    return Call(fields["location"], tuple(fields["inputs"]), attributes, fields["outputs"])
