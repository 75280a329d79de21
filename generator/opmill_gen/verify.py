"""Holds the specs and the index against ``onnx.defs``, in both directions.

Transcribing facts by hand is worth doing because this independent source checks them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from opmill_gen.check import Checked
from opmill_gen.diagnostics import Location
from opmill_gen.model import Attribute, DomainIndex, OperatorVersion, Parameter
from opmill_gen.names import MAIN_DOMAIN
from opmill_gen.reading import Faults

if TYPE_CHECKING:
    from onnx.defs import OpSchema

_OPTIONS = {"Single": "single", "Optional": "optional", "Variadic": "variadic"}
_DIFFERENTIABLE = {"Differentiable": True, "NonDifferentiable": False, "Unknown": None}
_DETERMINISM = {
    "Deterministic": "deterministic",
    "NonDeterministic": "non_deterministic",
    "Unknown": "unknown",
}


def verify(checked: Checked, faults: Faults) -> tuple[int, int]:
    """Compare everything that onnx knows too.

    Returns:
        How many operator versions agree, and how many were compared.
    """
    schemas = _schemas()
    for domain, index in sorted(checked.indexes.items()):
        _verify_index(domain, index, schemas, faults)
    agreed = compared = 0
    for version in checked.versions:
        spec = version.spec
        if spec.domain not in {domain for domain, _, _ in schemas}:
            continue
        compared += 1
        before = len(faults)
        schema = schemas.get((spec.domain, spec.operator, spec.since_version))
        if schema is None:
            faults.report(spec.location, f"onnx has no {spec.label} in {spec.domain}")
        else:
            _verify_version(spec, schema, faults)
        agreed += len(faults) == before
    return agreed, compared


def _schemas() -> dict[tuple[str, str, int], OpSchema]:
    from onnx import defs

    return {
        (schema.domain or MAIN_DOMAIN, schema.name, schema.since_version): schema
        for schema in defs.get_all_schemas_with_history()
    }


def _verify_index(
    domain: str,
    index: DomainIndex,
    schemas: dict[tuple[str, str, int], OpSchema],
    faults: Faults,
) -> None:
    from onnx import defs

    published: dict[str, list[int]] = defaultdict(list)
    deprecated: dict[str, list[int]] = defaultdict(list)
    for (of_domain, name, version), schema in sorted(schemas.items()):
        if of_domain == domain:
            published[name].append(version)
            if schema.deprecated:
                deprecated[name].append(version)
    if not published:
        return
    onnx_name = "" if domain == MAIN_DOMAIN else domain
    newest = defs.onnx_opset_version() if not onnx_name else max(map(max, published.values()))
    if index.opset != newest:
        faults.report(index.at("opset"), f"onnx knows opset {newest}, not {index.opset}")
    for name, versions in published.items():
        entry = index.operators.get(name)
        if entry is None:
            faults.report(index.at("operators"), f"onnx has {name} {versions}, the index has not")
            continue
        if list(entry.versions) != versions:
            faults.report(
                entry.location,
                f"onnx has the versions {versions} of {name}, not {list(entry.versions)}",
            )
        if list(entry.deprecated) != deprecated[name]:
            faults.report(
                entry.location,
                f"onnx deprecates {name} at {deprecated[name]}, not at {list(entry.deprecated)}",
            )
    for name, entry in index.operators.items():
        if name not in published:
            faults.report(entry.location, f"onnx has no operator {name}")


def _verify_version(spec: OperatorVersion, schema: Any, faults: Faults) -> None:
    def differ(place: Location, what: str, ours: object, theirs: object) -> None:
        if ours != theirs:
            faults.report(place, f"{what} is {_text(ours)}; onnx has {_text(theirs)}")

    facts: dict[str, tuple[object, object]] = {
        "support_level": (spec.support_level.value, schema.support_level.name.lower()),
        "function": (
            spec.function,
            schema.has_function or schema.has_context_dependent_function,
        ),
        "shape_inference": (spec.shape_inference, schema.has_type_and_shape_inference_function),
        "deprecated": (spec.deprecated, schema.deprecated),
        "determinism": (spec.determinism.value, _DETERMINISM[schema.node_determinism.name]),
    }
    for key, (ours, theirs) in facts.items():
        differ(spec.at(key), key, ours, theirs)
    for key, parameters, formal in (
        ("inputs", spec.inputs, schema.inputs),
        ("outputs", spec.outputs, schema.outputs),
    ):
        differ(spec.at(key), key, [p.name for p in parameters], [f.name for f in formal])
        for ours_parameter, theirs_parameter in zip(parameters, formal, strict=False):
            for what, ours, theirs in _parameter_facts(spec, ours_parameter, theirs_parameter):
                differ(ours_parameter.location, f"{ours_parameter.name}: {what}", ours, theirs)
    differ(
        spec.at("attributes"),
        "attributes",
        [attribute.name for attribute in spec.attributes],
        sorted(schema.attributes),
    )
    for attribute in spec.attributes:
        if attribute.name in schema.attributes:
            for what, ours, theirs in _attribute_facts(
                attribute, schema.attributes[attribute.name]
            ):
                differ(attribute.location, f"{attribute.name}: {what}", ours, theirs)
    differ(
        spec.at("type_constraints"),
        "type_constraints",
        {name: sorted(str(t) for t in c.types) for name, c in spec.type_constraints.items()},
        {t.type_param_str: sorted(t.allowed_type_strs) for t in schema.type_constraints},
    )


def _parameter_facts(
    spec: OperatorVersion, parameter: Parameter, formal: Any
) -> Iterator[tuple[str, object, object]]:
    yield "type", str(parameter.type), formal.type_str
    yield "types", sorted(str(t) for t in spec.allowed_types(parameter)), sorted(formal.types)
    yield "option", parameter.option.value, _OPTIONS[formal.option.name]
    yield "homogeneous", parameter.homogeneous, formal.is_homogeneous
    yield "min_arity", parameter.min_arity, formal.min_arity
    category = formal.differentiation_category.name
    yield "differentiable", parameter.differentiable, _DIFFERENTIABLE[category]


def _attribute_facts(attribute: Attribute, theirs: Any) -> Iterator[tuple[str, object, object]]:
    import numpy as np
    from onnx import helper

    yield "kind", attribute.kind.value, theirs.type.name
    yield "required", attribute.required, theirs.required
    default: Any = None
    if theirs.default_value.name or theirs.default_value.type:
        default = helper.get_attribute_value(theirs.default_value)
    ours = attribute.default_value
    if isinstance(default, bytes):
        default = default.decode()
    elif isinstance(default, float) and isinstance(ours, float):
        # ONNX keeps float32; the spec keeps the number as it was written.
        ours = float(np.float32(ours))
    elif isinstance(default, (list, tuple)) or type(default).__name__.startswith("Repeated"):
        default = tuple(d.decode() if isinstance(d, bytes) else d for d in default)
    yield "default", ours, default


def _text(value: object) -> str:
    if isinstance(value, list):
        return "[" + ", ".join(map(str, value)) + "]"
    return "absent" if value is None else str(value)
