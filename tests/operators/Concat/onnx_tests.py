"""Where versions of Concat differ for ONNX's tests."""

from __future__ import annotations

from collections.abc import Mapping

from onnx import NodeProto, defs

from onnx_rewrites import counts_from_the_end


def differs(node: NodeProto, schema: defs.OpSchema, types: Mapping[str, str]) -> bool:
    """Whether the axis counts from the end, which versions before 11 refuse."""
    return schema.since_version < 11 and counts_from_the_end(node)
