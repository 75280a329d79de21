"""Versions of Pad that differ for ONNX's tests."""

from __future__ import annotations

from onnx import NodeProto, defs

from onnx_suite import Case

UNTESTED = {1, 11, 13}
"""Versions that no test of ONNX reaches: those of others have another signature, and are not
rewritten."""


def differs(node: NodeProto, schema: defs.OpSchema, case: Case) -> bool:
    """Return whether the mode is wrap, which versions before 19 lack."""
    wraps = any(attribute.name == "mode" and attribute.s == b"wrap" for attribute in node.attribute)
    return schema.since_version < 19 and wraps
