"""Context of the template of what tests know of each operator version."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from opmill_gen.base.literals import python_literal
from opmill_gen.check.result import CheckedVersion
from opmill_gen.yaml_reader.tree import natural


def stated_versions(versions: Sequence[CheckedVersion], modules: Sequence[str]) -> dict[str, Any]:
    """The context of ``tests/operator_versions.py.j2``.

    Args:
        versions: in the order of the table.
        modules: those of the versions.
    """
    return {
        "versions": [
            {"key": _key(version), "stated": _stated(version, module)}
            for version, module in zip(versions, modules, strict=True)
        ]
    }


def _key(version: CheckedVersion) -> str:
    spec = version.spec
    return ", ".join(map(python_literal, (spec.domain, spec.operator, spec.since_version)))


def _stated(version: CheckedVersion, module: str) -> str:
    """Arguments of ``Stated``."""
    family = version.instance.family
    stated = [python_literal(module)]
    if family.oracle_path is not None:
        stated.append(python_literal(f"{family.name}.{version.instance.function('oracle')}"))
        if version.instance.parameters:
            stated.append(f"parameters={python_literal(dict(version.instance.parameters))}")
    tolerances = {
        element.value: (natural(tolerance.rtol), natural(tolerance.atol))
        for element, tolerance in version.spec.accuracy.tolerances.items()
    }
    if tolerances:
        stated.append(f"accuracy={python_literal(tolerances)}")
    return ", ".join(stated)
