"""Versions of OneHot that differ for ONNX's tests."""

from __future__ import annotations

from onnx import NodeProto, defs

from onnx_rewrites import data_of
from onnx_suite import Case


def differs(node: NodeProto, schema: defs.OpSchema, case: Case) -> bool:
    """Return whether an index counts from the end, which sets nothing in versions before 11.

    What is further from 0 than the depth sets nothing in any version.
    """
    if schema.since_version >= 11:
        return False
    indices = data_of(case, node.input[0]).astype("int64")
    depth = int(data_of(case, node.input[1]).item())
    return bool(((indices >= -depth) & (indices < 0)).any())
