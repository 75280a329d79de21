"""ONNX's tests of GridSample: what GridSample-16, for images, has other words for or lacks."""

from __future__ import annotations

from typing import Any

from onnx import NodeProto, defs, helper


def differs(node: NodeProto, schema: defs.OpSchema, case: Any) -> bool:
    """The modes that GridSample-16 calls bilinear and bicubic, and volumes."""
    given = {each.name: helper.get_attribute_value(each) for each in node.attribute}
    rank = len(case.model.graph.input[0].type.tensor_type.shape.dim)
    other = given.get("mode") in (b"linear", b"cubic") or rank != 4
    return schema.since_version == 16 and other
