"""Errors that the JSON Schemas of the project's files report for a text."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import jsonschema

from opmill_gen.load.schema_files import SCHEMAS
from opmill_gen.spec.json_schema import schema_text
from opmill_gen.yaml_reader.tree import Items, Scalar, Tree, parse_yaml


@cache
def validator(name: str) -> jsonschema.Draft202012Validator:
    """The validator of a kind of file."""
    return jsonschema.Draft202012Validator(json.loads(schema_text(SCHEMAS[name])))


def as_json(tree: Tree) -> Any:
    """A tree as a YAML 1.2 reader gives it."""
    if isinstance(tree, Scalar):
        return tree.value
    if isinstance(tree, Items):
        return [as_json(item) for item in tree.items]
    return {key: as_json(value) for key, value in tree.entries.items()}


def problems(name: str, text: str) -> list[str]:
    """The errors that the schema reports for a text."""
    tree = parse_yaml("f.yaml", text)
    return [error.message for error in validator(name).iter_errors(as_json(tree))]
