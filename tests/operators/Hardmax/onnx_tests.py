"""Versions of Hardmax that differ for ONNX's tests."""

from __future__ import annotations

from onnx import NodeProto, defs

from onnx_rewrites import is_of_last_axis
from onnx_suite import Case


def differs(node: NodeProto, schema: defs.OpSchema, case: Case) -> bool:
    """True if versions before 13 would join several axes, or another one is meant by default."""
    return schema.since_version < 13 and not is_of_last_axis(node, case)
