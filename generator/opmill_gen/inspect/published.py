"""The published prose of an operator version, from the installed onnx. Nothing of it is stored."""

from __future__ import annotations

import dataclasses
from typing import Any

from opmill_gen.onnx.facts import all_schemas
from opmill_gen.spec.operator_version import OperatorVersion, Parameter


def published(spec: OperatorVersion) -> OperatorVersion | None:
    """The version with the prose of onnx in place of ours; ``None`` where onnx has none of it.

    The facts are ours; ``verify`` compares them.
    """
    schema = all_schemas().get((spec.domain, spec.operator, spec.since_version))
    if schema is None:
        return None
    types = {c.type_param_str: c.description for c in schema.type_constraints}
    return dataclasses.replace(
        spec,
        summary=_text(schema.doc),
        inputs=_described(spec.inputs, schema.inputs),
        outputs=_described(spec.outputs, schema.outputs),
        attributes=tuple(
            dataclasses.replace(
                attribute,
                description=_text(schema.attributes[attribute.name].description)
                if attribute.name in schema.attributes
                else "",
            )
            for attribute in spec.attributes
        ),
        type_constraints={
            name: dataclasses.replace(constraint, description=_text(types.get(name)))
            for name, constraint in spec.type_constraints.items()
        },
        changes=(),
    )


def _described(parameters: tuple[Parameter, ...], formals: Any) -> tuple[Parameter, ...]:
    texts = {formal.name: formal.description for formal in formals}
    return tuple(
        dataclasses.replace(parameter, description=_text(texts.get(parameter.name)))
        for parameter in parameters
    )


def _text(text: str | None) -> str:
    return (text or "").strip()
