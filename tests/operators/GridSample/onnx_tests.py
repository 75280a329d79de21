"""ONNX's tests of GridSample: the modes linear and cubic have other names in GridSample-16."""

from __future__ import annotations

from typing import Any

from onnx import NodeProto, defs, helper


def differs(node: NodeProto, schema: defs.OpSchema, case: Any) -> bool:
    """What GridSample-16 calls bilinear and bicubic."""
    given = {each.name: helper.get_attribute_value(each) for each in node.attribute}
    return schema.since_version == 16 and given.get("mode") in (b"linear", b"cubic")
