"""The form of specs, indexes and families as JSON Schema, for editors.

Made from the model's classes: what they read, the schema allows, with the same words for a key's
meaning. What takes more than the form of one value to see (names that must exist, types that must
agree) a schema cannot say; ``opmill generate`` does.
"""

from __future__ import annotations

import enum
import json
import types
import typing
from collections.abc import Mapping
from typing import Any

from opmill_gen.base.onnx_types import ConcreteType, ElementType, OnnxType
from opmill_gen.spec.cases import (
    Argument,
    CasesFile,
    ErrataFile,
    RejectedInputs,
    WrittenSequence,
)
from opmill_gen.spec.conversions import ConversionsFile
from opmill_gen.spec.family import FamilyDocument
from opmill_gen.spec.operator_version import (
    Accuracy,
    DomainIndex,
    FamilyUse,
    OperatorVersion,
    Tolerance,
)
from opmill_gen.spec.tensor_values import TensorValue, Written
from opmill_gen.yaml_reader.decode import Node, is_required, keys_of
from opmill_gen.yaml_reader.tree import Tree

DIALECT = "https://json-schema.org/draft/2020-12/schema"
Schema = dict[str, Any]

TITLE = '"title": "opmill: '
"""First lines of every schema, after the one that names the dialect."""
_TITLES: dict[type[Node], str] = {
    OperatorVersion: "opmill: one version of one operator",
    CasesFile: "opmill: the examples and rejects of all versions of an operator",
    ErrataFile: "opmill: the errata of all versions of an operator",
    ConversionsFile: "opmill: how calls of an operator move between its versions",
    DomainIndex: "opmill: every published operator of a domain",
    FamilyDocument: "opmill: a family, one computation that operator versions share",
}
_SOURCES = ("value", "bits", "fill", "formula", "oracle")


def schema_text(cls: type[Node]) -> str:
    """The JSON Schema of a file that is read into ``cls``."""
    definitions: dict[str, Schema] = {}
    body = _Maker(definitions).node(cls)
    whole = {"$schema": DIALECT, "title": _TITLES[cls], **body}
    if definitions:
        whole["$defs"] = dict(sorted(definitions.items()))
    return json.dumps(whole, indent=2) + "\n"


class _Maker:
    """Makes the schema of a type hint; classes go under ``$defs``, once each."""

    def __init__(self, definitions: dict[str, Schema]) -> None:
        self.definitions = definitions

    def node(self, cls: type[Node]) -> Schema:
        """A mapping: one property a key, nothing else."""
        properties: dict[str, Schema] = {}
        for name, (hint, field) in keys_of(cls).items():
            schema = {"description": _sentence(field.metadata["doc"]), **self.of(hint)}
            schema.update(field.metadata["form"])
            if isinstance(field.default, enum.Enum):
                schema["default"] = field.default.value
            elif isinstance(field.default, (bool, int, str)):
                schema["default"] = field.default
            properties[name] = schema
        required = [name for name, (_, field) in keys_of(cls).items() if is_required(field)]
        return {
            "description": (cls.__doc__ or "").splitlines()[0],
            "type": "object",
            "properties": properties,
            **({"required": required} if required else {}),
            "additionalProperties": False,
        }

    def of(self, hint: Any) -> Schema:
        """The schema of a value that is read as ``hint``."""
        origin = typing.get_origin(hint)
        if origin in (types.UnionType, typing.Union):
            return self.union(hint)
        if origin is tuple:
            return {"type": "array", "items": self.of(typing.get_args(hint)[0])}
        if origin is Mapping:
            return {"type": "object", "additionalProperties": self.of(typing.get_args(hint)[1])}
        if hint in _OWN_READERS:
            return self.shared(hint.__name__, lambda: _OWN_READERS[hint](self))
        if issubclass(hint, Node):
            return self.shared(hint.__name__, lambda: self.node(hint))
        if issubclass(hint, enum.Enum):
            words: Schema = {"enum": [member.value for member in hint]}
            return self.shared(hint.__name__, lambda: words) if hint is ElementType else words
        return {"type": {str: "string", bool: "boolean", int: "integer"}[hint]}

    def union(self, hint: Any) -> Schema:
        members = typing.get_args(hint)
        given = frozenset(members) - {types.NoneType}
        if given == frozenset(typing.get_args(Tree)):
            return {}
        if given == frozenset(typing.get_args(ConcreteType)):
            schema = self.shared("ConcreteType", _concrete_type)
        elif given == frozenset(typing.get_args(OnnxType)):
            schema = self.shared("Type", lambda: self.type_or_variable())
        else:
            (only,) = given
            schema = self.of(only)
        return schema if len(given) == len(members) else {"anyOf": [schema, {"type": "null"}]}

    def type_or_variable(self) -> Schema:
        elements = "|".join(element.value for element in ElementType)
        variable = {"type": "string", "pattern": rf"^(?!(?:{elements})$)[A-Za-z_][A-Za-z0-9_]*$"}
        return {"anyOf": [self.shared("ConcreteType", _concrete_type), variable]}

    def shared(self, name: str, make: Any) -> Schema:
        """A reference to a definition, which is made where it is not there yet."""
        if name not in self.definitions:
            self.definitions[name] = {}
            self.definitions[name] = make()
        return {"$ref": f"#/$defs/{name}"}


def _sentence(words: str) -> str:
    return f"{words[0].upper()}{words[1:]}."


def _concrete_type() -> Schema:
    tensors = [f"tensor({element.value})" for element in ElementType]
    elements = "|".join(element.value for element in ElementType)
    return {
        "anyOf": [
            {"enum": tensors},
            {"type": "string", "pattern": rf"^sparse_tensor\((?:{elements})\)$"},
            {"type": "string", "pattern": r"^(?:seq|optional)\(.+\)$"},
            {"type": "string", "pattern": rf"^map\((?:{elements}),.+\)$"},
        ]
    }


# What reads itself from a tree describes itself here.


def _family_use(maker: _Maker) -> Schema:
    parameter = {"type": ["string", "integer", "boolean"]}
    return {
        "description": "A family's name, or its name, its rule and its parameters.",
        "anyOf": [
            {"type": "string"},
            {
                "type": "object",
                "properties": {
                    "name": {"type": "string", "description": "The family."},
                    "rule": {"type": "string", "description": "Its rule, where it has several."},
                    "with": {
                        "type": ["object", "null"],
                        "description": "The family's parameters.",
                        "additionalProperties": parameter,
                    },
                },
                "required": ["name"],
                "additionalProperties": False,
            },
        ],
    }


def _accuracy(maker: _Maker) -> Schema:
    return {
        "description": "exact, bit for bit, or for each floating type how far a result may be off.",
        "anyOf": [
            {"const": "exact"},
            {
                "type": "object",
                "propertyNames": maker.of(ElementType),
                "additionalProperties": maker.of(Tolerance),
            },
        ],
    }


def _tensor(maker: _Maker) -> Schema:
    """One source of elements; what does not show the shape needs it beside."""
    schema = maker.node(Written)
    element = {"type": ["string", "number", "boolean"]}
    maker.definitions["Nested"] = {
        "anyOf": [element, {"type": "array", "items": {"$ref": "#/$defs/Nested"}}]
    }
    maker.definitions["NestedBits"] = {
        "anyOf": [
            {"type": "integer", "minimum": 0},
            {"type": "array", "items": {"$ref": "#/$defs/NestedBits"}},
        ]
    }
    properties = schema["properties"]
    properties["type"] = {"description": properties["type"]["description"]} | maker.of(ElementType)
    properties["value"]["$ref"] = "#/$defs/Nested"
    properties["bits"]["$ref"] = "#/$defs/NestedBits"
    properties["fill"].update(element)
    given: dict[str, Schema] = {name: {"not": {"type": "null"}} for name in _SOURCES}
    given["oracle"] = {"const": True}
    return {
        **schema,
        "oneOf": [{"required": [name], "properties": {name: given[name]}} for name in _SOURCES],
        "dependentRequired": {name: ["shape"] for name in ("fill", "formula")},
    }


def _argument(maker: _Maker) -> Schema:
    one = [maker.of(TensorValue), maker.of(WrittenSequence), {"type": "null"}]
    return {
        "description": "A tensor, a sequence, null, or a list of them for a variadic parameter.",
        "anyOf": [*one, {"type": "array", "items": {"anyOf": one}}],
    }


def _rejected_inputs(maker: _Maker) -> Schema:
    argument = maker.of(Argument)
    return {
        "description": "By name, or by position where the number of inputs is what is wrong.",
        "anyOf": [
            {"type": "object", "additionalProperties": argument},
            {"type": "array", "items": argument},
        ],
    }


_OWN_READERS: dict[Any, Any] = {
    FamilyUse: _family_use,
    Accuracy: _accuracy,
    TensorValue: _tensor,
    Argument: _argument,
    RejectedInputs: _rejected_inputs,
}
