"""Where versions of Resize differ for ONNX's tests."""

from __future__ import annotations

from onnx import NodeProto, defs

from onnx_suite import Case

UNTESTED = {10, 11, 13}
"""Versions that no test of ONNX reaches: those of others have another signature, and are not
rewritten."""


def differs(node: NodeProto, schema: defs.OpSchema, case: Case) -> bool:
    """Whether the coordinates are half_pixel_symmetric, which versions before 19 lack."""
    symmetric = any(
        attribute.name == "coordinate_transformation_mode"
        and attribute.s == b"half_pixel_symmetric"
        for attribute in node.attribute
    )
    return schema.since_version < 19 and symmetric
