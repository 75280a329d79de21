"""An operator version as plain data: what ``opmill show --json`` prints."""

from __future__ import annotations

import enum
import math
from collections.abc import Mapping
from typing import Any

from opmill_gen.spec.operator_version import Attribute, OperatorVersion, Parameter


def version_json(
    path: str, spec: OperatorVersion, parameters: Mapping[str, str | int | bool]
) -> dict[str, Any]:
    """The facts, the texts and the names of the cases; the cases themselves stand in the spec.

    Args:
        path: where the spec stands.
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
            name: {"types": list(map(str, constraint.types)), "description": constraint.description}
            for name, constraint in spec.type_constraints.items()
        },
        "examples": [example.name for example in spec.examples],
        "rejects": [reject.name for reject in spec.rejects],
        "changes": [{"what": c.what, "shown_by": c.shown_by} for c in spec.changes],
        "errata": [
            {"text": e.text, "decision": e.decision, "evidence": e.evidence} for e in spec.errata
        ],
    }


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
    if isinstance(value, tuple):
        return [_finite(item) for item in value]
    if isinstance(value, enum.Enum):
        return value.value
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value
