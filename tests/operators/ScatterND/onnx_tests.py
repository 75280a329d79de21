"""Versions of ScatterND that do not differ for ONNX's tests."""

from __future__ import annotations

from onnx import NodeProto, defs

from onnx_suite import Case

NEUTRAL = ("reduction",)
"""Versions before 16 lack it; left out, the update replaces the element, as there."""


def differs(node: NodeProto, schema: defs.OpSchema, case: Case) -> bool:
    """Return whether a reduction is one of version 18, which earlier versions refuse."""
    words = [attribute.s for attribute in node.attribute if attribute.name == "reduction"]
    return schema.since_version < 18 and words in ([b"max"], [b"min"])
