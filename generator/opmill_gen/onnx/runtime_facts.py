"""Facts from the installed onnxruntime about the operators that it adds as com.microsoft's.

Its schemas are read into objects with the attributes of ``onnx.defs.OpSchema``, as far as it states
them: not whether there is a function body, nor the determinism, nor what is differentiable.
"""

from __future__ import annotations

import functools
import importlib.util
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any, ClassVar

from opmill_gen.base.names import MAIN_DOMAIN
from opmill_gen.onnx.facts import Schemas, all_schemas

PACKAGE = "onnxruntime"

DOMAIN = "com.microsoft"


@dataclass(frozen=True)
class Formal:
    """A formal parameter of a schema of onnxruntime, in onnx's words."""

    name: str
    type_str: str
    types: frozenset[str]
    option: Any
    is_homogeneous: bool
    min_arity: int
    description: str
    differentiation_category: ClassVar[Any] = SimpleNamespace(name="Unknown")


@dataclass(frozen=True)
class RuntimeSchema:
    """A schema of onnxruntime, in onnx's words."""

    name: str
    domain: str
    since_version: int
    support_level: Any
    deprecated: bool
    has_type_and_shape_inference_function: bool
    doc: str
    inputs: tuple[Formal, ...]
    outputs: tuple[Formal, ...]
    attributes: dict[str, Any]
    type_constraints: tuple[Any, ...]
    node_domain: str | None


def runtime_release() -> str | None:
    """The release of the installed onnxruntime; ``None`` where there is none."""
    if importlib.util.find_spec(PACKAGE) is None:
        return None
    import onnxruntime

    return str(onnxruntime.__version__)


@functools.cache
def runtime_schemas(listed: frozenset[str]) -> Schemas:
    """The operator versions of every domain that onnxruntime has and onnx has not, sorted.

    onnxruntime registers some operators of its own in ONNX's domain, where models have them; others
    that it has there are experiments that ONNX gave up, copies between devices and plugins.

    Args:
        listed: names of operators that count as com.microsoft's where they are in ONNX's domain.

    Raises:
        ModuleNotFoundError: onnxruntime is not installed.
    """
    from onnxruntime.capi import onnxruntime_pybind11_state as state

    of_onnx = {domain for domain, _, _ in all_schemas()}
    own = listed - {name for domain, name, _ in all_schemas() if domain == MAIN_DOMAIN}
    found = {}
    for schema in state.get_all_operator_schema():
        domain = DOMAIN if not schema.domain and schema.name in own else schema.domain
        if domain and domain not in of_onnx:
            found[domain, schema.name, schema.since_version] = _read(schema, domain)
    return dict(sorted(found.items()))


def _read(schema: Any, domain: str) -> RuntimeSchema:
    return RuntimeSchema(
        name=schema.name,
        domain=domain,
        since_version=schema.since_version,
        support_level=schema.support_level,
        deprecated=schema.deprecated,
        has_type_and_shape_inference_function=schema.has_type_and_shape_inference_function,
        doc=schema.doc or "",
        inputs=_formals(schema.inputs, schema.min_input),
        outputs=_formals(schema.outputs, schema.min_output),
        attributes={name: _attribute(one) for name, one in schema.attributes.items()},
        type_constraints=tuple(schema.type_constraints),
        node_domain=None if schema.domain == domain else schema.domain or MAIN_DOMAIN,
    )


def _formals(formals: Any, minimum: int) -> tuple[Formal, ...]:
    """The parameters; the arity of a variadic one follows from the minimum number of values."""
    return tuple(
        Formal(
            name=one.name,
            type_str=one.typeStr,
            types=frozenset(one.types),
            option=one.option,
            is_homogeneous=one.isHomogeneous,
            min_arity=minimum - position if one.option.name == "Variadic" else 1,
            description=one.description,
        )
        for position, one in enumerate(formals)
    )


def _attribute(attribute: Any) -> SimpleNamespace:
    import onnx

    default = onnx.AttributeProto()
    default.ParseFromString(attribute._default_value)
    return SimpleNamespace(
        name=attribute.name,
        type=attribute.type,
        required=attribute.required,
        description=attribute.description,
        default_value=default,
    )
