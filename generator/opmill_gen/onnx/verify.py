"""Holds the specs and the index against ``onnx.defs``, in both directions.

Domains that onnxruntime publishes are compared with its schemas, where it is installed.

Transcribing facts by hand is worth doing because this independent source checks them. The installed
package may be of another release than the specs: ``onnx/releases.py`` decides what it cannot know.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from opmill_gen.base.diagnostics import Location
from opmill_gen.check.result import Checked
from opmill_gen.onnx.facts import (
    DIFFERENTIABLE,
    OPTIONS,
    all_schemas,
    attribute_default,
    determinism,
    has_function,
    onnx_release,
    parameter_types,
)
from opmill_gen.onnx.releases import Publisher, Unknown
from opmill_gen.onnx.runtime_facts import DOMAIN, PACKAGE, runtime_release, runtime_schemas
from opmill_gen.spec.operator_version import Attribute, DomainIndex, OperatorVersion, Parameter
from opmill_gen.yaml_reader.decode import Faults

_SHORT_MAP = re.compile(r"map\((\w+), ?(\w+)\)")


class Comparison(NamedTuple):
    """The result of comparing specs with the installed packages."""

    agreed: int
    """Number of operator versions whose facts are equal."""
    compared: int
    """Number of operator versions that both have."""
    unknown: Unknown
    """Facts that only one side can know, since the other is of an older release."""


def verify(checked: Checked, faults: Faults) -> Comparison:
    """Compare everything that onnx knows too."""
    return verify_facts((v.spec for v in checked.versions), checked.indexes, faults)


def verify_facts(
    specs: Iterable[OperatorVersion], indexes: Mapping[str, DomainIndex], faults: Faults
) -> Comparison:
    """Compare specs that need not be finished: their facts are there before the prose is."""
    publishers = [Publisher("onnx", onnx_release(), all_schemas())]
    release = runtime_release()
    if any(index.onnxruntime for index in indexes.values()) and release is not None:
        listed = frozenset(indexes[DOMAIN].operators if DOMAIN in indexes else ())
        publishers.append(Publisher(PACKAGE, release, runtime_schemas(listed)))
    unknown = Unknown()
    for domain, index in sorted(indexes.items()):
        for publisher in publishers:
            publisher.compare_index(domain, index, unknown, faults)
    agreed = compared = 0
    for spec in specs:
        judge = _publisher(publishers, spec, indexes.get(spec.domain))
        if judge is None:
            continue
        schema = judge.schemas.get((spec.domain, spec.operator, spec.since_version))
        if schema is None and judge.is_before(spec, indexes.get(spec.domain)):
            unknown.to_package(judge.label, spec.domain, spec.operator, spec.since_version)
            continue
        compared += 1
        before = len(faults)
        if schema is None:
            message = f"{judge.package} has no {spec.label} in {spec.domain}"
            faults.report(spec.location, message)
        else:
            _verify_version(spec, judge.named(indexes.get(spec.domain)), schema, faults)
        agreed += len(faults) == before
    return Comparison(agreed, compared, unknown)


def _publisher(
    publishers: list[Publisher], spec: OperatorVersion, index: DomainIndex | None
) -> Publisher | None:
    """The package that publishes the domain of a spec, or would in the release that it names."""
    for publisher in publishers:
        if publisher.publishes(spec.domain) or publisher.is_before(spec, index):
            return publisher
    return None


def without_publisher(
    specs: Iterable[OperatorVersion], indexes: Mapping[str, DomainIndex]
) -> dict[str, int]:
    """The domains that cannot be compared as onnxruntime is missing, with their specs' number."""
    if runtime_release() is not None:
        return {}
    counts = {domain: 0 for domain, index in sorted(indexes.items()) if index.onnxruntime}
    for spec in specs:
        if spec.domain in counts:
            counts[spec.domain] += 1
    return counts


def _verify_version(spec: OperatorVersion, package: str, schema: Any, faults: Faults) -> None:
    def differ(location: Location, what: str, ours: object, theirs: object) -> None:
        if ours != theirs:
            faults.report(location, f"{what} is {_text(ours)}; {package} has {_text(theirs)}")

    facts: dict[str, tuple[object, object]] = {
        "support_level": (spec.support_level.value, schema.support_level.name.lower()),
        "shape_inference": (spec.shape_inference, schema.has_type_and_shape_inference_function),
        "deprecated": (spec.deprecated, schema.deprecated),
        "node_domain": (spec.node_domain, getattr(schema, "node_domain", None)),
    }
    # What a publisher does not state is None.
    for key, own, stated in (
        ("function", spec.function, has_function(schema)),
        ("determinism", spec.determinism.value, determinism(schema)),
    ):
        if stated is not None:
            facts[key] = (own, stated)
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
        {t.type_param_str: sorted({*t.allowed_type_strs}) for t in schema.type_constraints},
    )


def _parameter_facts(
    spec: OperatorVersion, parameter: Parameter, formal: Any
) -> Iterator[tuple[str, object, object]]:
    yield "type", str(parameter.type), formal.type_str
    types = parameter_types(formal)
    if types is not None:
        own = [_in_full(str(type_)) for type_ in spec.allowed_types(parameter)]
        yield "types", sorted(own), sorted(map(_in_full, types))
    yield "option", parameter.option.value, OPTIONS[formal.option.name]
    yield "homogeneous", parameter.homogeneous, formal.is_homogeneous
    yield "min_arity", parameter.min_arity, formal.min_arity
    category = formal.differentiation_category.name
    yield "differentiable", parameter.differentiable, DIFFERENTIABLE[category]


def _in_full(type_: str) -> str:
    """``map(int64,tensor(float))``, which onnx writes ``map(int64, float)`` in some places."""
    return _SHORT_MAP.sub(r"map(\1,tensor(\2))", type_)


def _attribute_facts(attribute: Attribute, theirs: Any) -> Iterator[tuple[str, object, object]]:
    import numpy as np

    yield "kind", attribute.kind.value, theirs.type.name
    yield "required", attribute.required, theirs.required
    default = attribute_default(theirs)
    ours = attribute.default_value
    if isinstance(default, float) and isinstance(ours, float):
        # ONNX keeps float32; the spec keeps the number as it was written.
        ours = float(np.float32(ours))
    yield "default", ours, default


def _text(value: object) -> str:
    if isinstance(value, list):
        return "[" + ", ".join(map(str, value)) + "]"
    return "absent" if value is None else str(value)
