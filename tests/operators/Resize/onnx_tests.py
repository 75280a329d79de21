"""Versions of Resize that differ for ONNX's tests."""

from __future__ import annotations

from onnx import NodeProto, defs

from onnx_suite import Case

UNTESTED = {10, 11, 13}
"""Versions that no test of ONNX reaches: those of others have another signature, and are not
rewritten."""

CORRECTED = {
    "test_resize_downsample_scales_linear_align_corners": [[[[1, 4]]]],
    "test_resize_downsample_scales_cubic_align_corners": [
        [[[1, 2.5, 4], [7, 8.5, 10], [13, 14.5, 16]]]
    ],
}
"""The tests of 1.23.2 take a length that is not whole; onnx-weekly 1.24.0.dev20261026 corrects
them: the corners are aligned."""


def differs(node: NodeProto, schema: defs.OpSchema, case: Case) -> bool:
    """Return whether the coordinates are half_pixel_symmetric, which versions before 19 lack."""
    symmetric = any(
        attribute.name == "coordinate_transformation_mode"
        and attribute.s == b"half_pixel_symmetric"
        for attribute in node.attribute
    )
    return schema.since_version < 19 and symmetric
