"""Versions of Flatten that differ for ONNX's tests."""

from __future__ import annotations

from onnx import NodeProto, defs

from onnx_rewrites import counts_from_the_end
from onnx_suite import Case


def differs(node: NodeProto, schema: defs.OpSchema, case: Case) -> bool:
    """Return whether the axis counts from the end, which versions before 11 refuse."""
    return schema.since_version < 11 and counts_from_the_end(node)
