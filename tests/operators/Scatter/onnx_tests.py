"""Versions of Scatter that do not differ for ONNX's tests."""

from __future__ import annotations

from onnx import NodeProto, defs

from onnx_suite import Case


def differs(node: NodeProto, schema: defs.OpSchema, case: Case) -> bool:
    """Return whether the version is deprecated: models with it are refused."""
    return schema.deprecated
