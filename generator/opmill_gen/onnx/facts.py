"""Facts of the installed onnx about operators, in plain values and the spec files' words.

Only ``verify`` and ``import`` need onnx; it is loaded when they ask.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from opmill_gen.base.names import MAIN_DOMAIN

if TYPE_CHECKING:
    from onnx.defs import OpSchema

    from opmill_gen.onnx.runtime_facts import RuntimeSchema

OPTIONS = {"Single": "single", "Optional": "optional", "Variadic": "variadic"}
DIFFERENTIABLE = {"Differentiable": True, "NonDifferentiable": False, "Unknown": None}
_DETERMINISM = {
    "Deterministic": "deterministic",
    "NonDeterministic": "non_deterministic",
    "Unknown": "unknown",
}

Schemas = Mapping[tuple[str, str, int], "OpSchema | RuntimeSchema"]
"""Operator versions by domain, operator and version."""


@dataclass
class History:
    """The versions of one operator, and those of them that deprecate it."""

    versions: list[int]
    deprecated: list[int]


def release_order(release: str) -> tuple[tuple[int, ...], bool, tuple[int, ...]]:
    """Sort key of a release number; 1.24.0.dev20261026 comes before 1.24.0."""
    match = re.match(r"\d+(?:\.\d+)*", release)
    number = match[0] if match else ""
    rest = release[len(number) :]
    parts = tuple(map(int, number.split("."))) if number else ()
    return (
        parts,
        not re.match(r"\.?(?:dev|a|b|rc)", rest),
        tuple(map(int, re.findall(r"\d+", rest))),
    )


def onnx_release() -> str:
    """The release of the installed onnx.

    Raises:
        ModuleNotFoundError: onnx is not installed.
    """
    import onnx

    return str(onnx.__version__)


@functools.cache
def all_schemas() -> Schemas:
    """Every operator version that onnx knows, sorted by domain, operator and version."""
    from onnx import defs

    found = {
        (schema.domain or MAIN_DOMAIN, schema.name, schema.since_version): schema
        for schema in defs.get_all_schemas_with_history()
    }
    return dict(sorted(found.items()))


def histories(schemas: Schemas, domain: str) -> dict[str, History]:
    """Published versions of a domain, by operator; empty for a domain onnx has not."""
    found: dict[str, History] = {}
    for (of_domain, name, version), schema in schemas.items():
        if of_domain == domain:
            history = found.setdefault(name, History([], []))
            history.versions.append(version)
            if schema.deprecated:
                history.deprecated.append(version)
    return found


def newest_opset(domain: str, versions: Iterable[int]) -> int:
    """The newest opset of a domain; of all but the default one onnx tells the versions alone."""
    from onnx import defs

    return int(defs.onnx_opset_version()) if domain == MAIN_DOMAIN else max(versions)


def parameter_types(formal: Any) -> list[str] | None:
    """The types of a formal parameter; ``None`` in releases of onnx that cannot return them."""
    try:
        return sorted(formal.types)
    except TypeError:  # onnx 1.20 has no conversion of that set to Python
        return None


def has_function(schema: Any) -> bool | None:
    """Return whether a version has a published function body; ``None`` where that is unknown."""
    if not hasattr(schema, "has_function"):
        return None
    return bool(schema.has_function or schema.has_context_dependent_function)


def determinism(schema: Any) -> str | None:
    """The determinism of a version; ``None`` in releases of onnx that do not state it."""
    stated = getattr(schema, "node_determinism", None)
    return None if stated is None else _DETERMINISM[stated.name]


def attribute_default(attribute: Any) -> Any:
    """The default of an attribute, a float as float32 holds it; ``None`` where there is none."""
    from onnx import helper

    if not (attribute.default_value.name or attribute.default_value.type):
        return None
    default = helper.get_attribute_value(attribute.default_value)
    if isinstance(default, bytes):
        return default.decode()
    if isinstance(default, (list, tuple)) or type(default).__name__.startswith("Repeated"):
        return tuple(item.decode() if isinstance(item, bytes) else item for item in default)
    return default
