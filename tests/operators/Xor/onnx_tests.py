"""Versions of Xor that do not differ for ONNX's tests."""

from __future__ import annotations

from onnx import NodeProto, defs

from onnx_rewrites import broadcasts
from onnx_suite import Case

NEUTRAL = ("axis", "broadcast")
"""Version 1 has them; left out, they ask for inputs of one shape, which later versions take too."""


def differs(node: NodeProto, schema: defs.OpSchema, case: Case) -> bool:
    """True if inputs of several shapes meet, which version 1 refuses without ``broadcast``."""
    return schema.since_version < 7 and broadcasts(node, case)
