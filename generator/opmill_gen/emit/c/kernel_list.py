"""``kernels.json`` of the C library: how to call each version's kernel without its rules.

``opmill compile`` reads it: compiled networks call kernels with plans that are constants.
"""

from __future__ import annotations

import json
from pathlib import PurePosixPath
from typing import Any

from opmill_gen.check.result import Checked, CheckedVersion
from opmill_gen.emit.artifact import Artifact
from opmill_gen.emit.c.adapters import kernel_call
from opmill_gen.emit.c.family import plan_members
from opmill_gen.emit.c.header import prefix_of
from opmill_gen.emit.c.support import c_gap, type_gaps
from opmill_gen.emit.c.version import kernel_header_of

_TEMPLATE = "c/kernels.json.j2"


def c_kernel_list(checked: Checked) -> Artifact:
    """The list: a line for the plan of each family, and one for each version."""
    supported = (version for version in checked.versions if c_gap(version) is None)
    versions = [v for v in supported if not _has_sequences(v) and not v.spec.runs_graphs]
    plans: dict[str, list[Any]] = {}
    for version in versions:
        plans.setdefault(version.instance.family.name, []).append(version.instance)
    context = {
        "plans": [
            (json.dumps(family), json.dumps(plan_members(instances)))
            for family, instances in sorted(plans.items())
        ],
        "versions": [
            (json.dumps(f"{version.spec.domain}:{version.spec.label}"), json.dumps(_entry(version)))
            for version in versions
        ],
    }
    return Artifact(PurePosixPath("c", "kernels.json"), _TEMPLATE, context)


def _has_sequences(version: CheckedVersion) -> bool:
    """Return whether an input or output is never a tensor, as no value of a compiled network is."""
    spec = version.spec
    return any(map(spec.is_never_tensor, (*spec.inputs, *spec.outputs)))


def _entry(version: CheckedVersion) -> dict[str, Any]:
    """Name of a version's kernel."""
    document = version.instance.family.document
    entry: dict[str, Any] = {
        "files": prefix_of(version).partition("_")[2],
        "header": kernel_header_of(version),
        "plan": version.instance.family.name,
        "function": f"opmill_{version.instance.kernel_name}_compute",
        "arguments": kernel_call(version),
    }
    if document.workspace:
        entry["workspace"] = True
    if version.instance.program.bounded:
        entry["bounded"] = True
    gaps = sorted(type_gaps(version))
    return {**entry, "gaps": gaps} if gaps else entry
