"""Versions of Upsample that differ for ONNX's tests."""

from __future__ import annotations

from onnx import NodeProto, defs

from onnx_suite import Case

UNTESTED = {1, 7}
"""Versions that no test of ONNX reaches: those of others have another signature, and are not
rewritten."""


def differs(node: NodeProto, schema: defs.OpSchema, case: Case) -> bool:
    """Return whether the version is deprecated: no model may hold a node of it."""
    return bool(schema.deprecated)
