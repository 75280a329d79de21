"""An operator version as plain data: what ``opmill show --json`` prints."""

from __future__ import annotations

import enum
import math
from collections.abc import Mapping, Sequence
from typing import Any

from opmill_gen.inspect.version_diff import Piece, Status, changes_on_the_way, compare
from opmill_gen.spec.operator_version import Attribute, OperatorVersion, Parameter
from opmill_gen.yaml_reader.tree import parse_yaml, plain


def version_json(
    path: str, spec: OperatorVersion, parameters: Mapping[str, str | int | bool]
) -> dict[str, Any]:
    """The facts, the texts and the names of the cases; the cases themselves stand in the spec.

    Args:
        path: the path of the spec.
        spec: what it says.
        parameters: those of its family, with the defaults of the ones it does not give.
    """
    return {
        "file": path,
        "operator": spec.operator,
        "domain": spec.domain,
        **spec.facts,
        "summary": spec.summary,
        "family": {"name": spec.family.name, "with": dict(parameters)},
        "inputs": [_parameter(parameter) for parameter in spec.inputs],
        "outputs": [_parameter(parameter) for parameter in spec.outputs],
        "attributes": [_attribute(attribute) for attribute in spec.attributes],
        "type_constraints": {
            name: {
                "types": list(map(str, constraint.types)),
                "description": constraint.description,
                "unused": constraint.unused,
            }
            for name, constraint in spec.type_constraints.items()
        },
        "examples": [example.name for example in spec.examples],
        "rejects": [reject.name for reject in spec.rejects],
        "changes": [{"what": c.what, "shown_by": c.shown_by} for c in spec.changes],
        "errata": [
            {
                "name": e.name,
                "kind": e.kind.value,
                "text": e.text,
                "decision": e.decision,
                "evidence": e.evidence,
            }
            for e in spec.errata
        ],
    }


def differences_json(
    versions: Sequence[OperatorVersion],
    old: OperatorVersion,
    new: OperatorVersion,
    *,
    everything: bool,
) -> dict[str, Any]:
    """Differences between two of an operator's versions, as ``opmill diff --json`` prints them.

    Args:
        versions: all versions of the operator.
        old: the version on the left.
        new: the version on the right.
        everything: whether to include the parts that are the same in both.
    """
    backwards = old.since_version > new.since_version
    return {
        "operator": new.operator,
        "domain": new.domain,
        "old": old.since_version,
        "new": new.since_version,
        "changes": [
            {
                "version": version.since_version,
                "what": change.what,
                "shown_by": change.shown_by,
                "undone": backwards,
            }
            for version, change in changes_on_the_way(versions, old, new)
        ],
        "sections": [
            {
                "title": section.title,
                "rows": [
                    {
                        "name": row.name,
                        "status": row.status.value,
                        "old": _pieces(row.old),
                        "new": _pieces(row.new),
                    }
                    for row in section.rows
                    if everything or row.status is not Status.SAME
                ],
            }
            for section in compare(old, new)
            if everything or section.differs
        ],
    }


def _pieces(pieces: Sequence[Piece] | None) -> list[dict[str, Any]] | None:
    if pieces is None:
        return None
    return [{"text": piece.text, "changed": piece.changed} for piece in pieces]


def cases_json(shown: str, text: str) -> dict[str, Any]:
    """The examples and rejects of ``opmill show --cases`` as data.

    Args:
        shown: the path of the version's file.
        text: its cases as YAML.
    """
    read = plain(parse_yaml(shown, text)) if text else {}
    found = _finite(read)
    assert isinstance(found, dict)
    return {"file": shown, "examples": [], "rejects": [], **found}


def _parameter(parameter: Parameter) -> dict[str, Any]:
    return {
        "name": parameter.name,
        "type": str(parameter.type),
        "option": parameter.option.value,
        "homogeneous": parameter.homogeneous,
        "min_arity": parameter.min_arity,
        "differentiable": parameter.differentiable,
        "description": parameter.description,
    }


def _attribute(attribute: Attribute) -> dict[str, Any]:
    return {
        "name": attribute.name,
        "kind": attribute.kind.value,
        "required": attribute.required,
        "default": _finite(attribute.default_value),
        "allowed": list(attribute.allowed),
        "description": attribute.description,
    }


def _finite(value: object) -> object:
    """A value that JSON can hold: infinities and NaN are texts."""
    if isinstance(value, (tuple, list)):
        return [_finite(item) for item in value]
    if isinstance(value, dict):
        return {name: _finite(item) for name, item in value.items()}
    if isinstance(value, enum.Enum):
        return value.value
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value
