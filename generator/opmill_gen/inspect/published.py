"""Facts of the installed onnx about operator versions. None of them is stored."""

from __future__ import annotations

import dataclasses
from typing import Any

from opmill_gen.author.spec_writer import spec_text
from opmill_gen.onnx.facts import all_schemas
from opmill_gen.spec.operator_version import OperatorVersion, Parameter, read_document
from opmill_gen.yaml_reader.decode import Faults
from opmill_gen.yaml_reader.tree import parse_yaml


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


def without_spec(domain: str, operator: str, number: int) -> OperatorVersion | None:
    """A version that has no spec, with onnx's facts and prose; ``None`` where onnx has none of it.

    What only a spec can say, as its family, is open.
    """
    import onnx

    schema = all_schemas().get((domain, operator, number))
    if schema is None:
        return None
    text = spec_text(schema, domain, None, f"onnx {onnx.__version__}")
    spec = read_document(OperatorVersion, parse_yaml(f"onnx {onnx.__version__}", text), Faults())
    assert isinstance(spec, OperatorVersion)
    return published(spec)


def _described(parameters: tuple[Parameter, ...], formals: Any) -> tuple[Parameter, ...]:
    texts = {formal.name: formal.description for formal in formals}
    return tuple(
        dataclasses.replace(parameter, description=_text(texts.get(parameter.name)))
        for parameter in parameters
    )


def _text(text: str | None) -> str:
    return (text or "").strip()
