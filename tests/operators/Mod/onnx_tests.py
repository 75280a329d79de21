"""Versions of Mod that differ for ONNX's tests."""

from __future__ import annotations

from onnx import NodeProto, defs

from onnx_suite import Case

_FLOATING = ("tensor(float", "tensor(double", "tensor(bfloat16")


def differs(node: NodeProto, schema: defs.OpSchema, case: Case) -> bool:
    """Return whether floating-point inputs meet ``fmod`` 0, which versions before 28 refuse."""
    fmod = next((attribute.i for attribute in node.attribute if attribute.name == "fmod"), 0)
    floating = any(case.types[name].startswith(_FLOATING) for name in node.input)
    return schema.since_version < 28 and floating and not fmod
