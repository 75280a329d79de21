"""ONNX's tests of Cast, in the words of Cast-1, and where versions differ."""

from __future__ import annotations

from collections.abc import Iterator

from onnx import ModelProto, NodeProto, TensorProto, defs, helper

from onnx_rewrites import allowed, ends, models
from onnx_suite import Case

NEUTRAL = ("saturate", "round_mode")
"""They speak of types that came with them."""


def cast_1(case: Case) -> Iterator[tuple[int, ModelProto]]:
    """Cast-1 takes the name of the type where later versions take its number."""
    if len(case.model.graph.node) != 1:
        return
    [node] = case.model.graph.node
    types = [value.type.tensor_type.elem_type for value in ends(case)]
    if {attribute.name for attribute in node.attribute} != {"to"} or not allowed("Cast", 1, types):
        return
    name = TensorProto.DataType.Name(node.attribute[0].i)
    made = helper.make_node("Cast", node.input, node.output, to=name)
    yield from models(case, [made], range(1, 6))


REWRITES = {1: cast_1}


def differs(node: NodeProto, schema: defs.OpSchema, case: Case) -> bool:
    """Return whether float8 types without infinities are made where a version has NaN for one.

    From Cast-24 on the tables have the largest number, if ``saturate`` is 1, and so have the tests.
    """
    return schema.since_version < 24 and any("fnuz" in case.types[name] for name in node.output)
