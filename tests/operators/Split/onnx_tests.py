"""ONNX's tests of Split, in the words of Split-1, and where versions differ."""

from __future__ import annotations

from collections.abc import Iterator

from onnx import ModelProto, NodeProto, defs, helper

from onnx_rewrites import allowed, counts_from_the_end, ends, models
from onnx_suite import Case
from opmill import AttributeValueError


def split_1(case: Case) -> Iterator[tuple[int, ModelProto]]:
    """Split-1 takes the lengths as an attribute, as Split-2 does, or as an input of X's type.

    The axis is named, since the text says nothing of a default.
    """
    if len(case.model.graph.node) != 1 or len(case.data) != 1:
        return
    [node] = case.model.graph.node
    given = {each.name: helper.get_attribute_value(each) for each in node.attribute}
    inputs = case.data[0][0]
    if len(inputs) == 2:
        given["split"] = [int(length) for length in inputs[1]]
    types = [value.type.tensor_type.elem_type for value in ends(case)]
    axis = given.get("axis", 0)
    if axis < 0 or "num_outputs" in given or not allowed("Split", 1, types):
        return
    given = {"axis": axis, **({"split": given["split"]} if "split" in given else {})}
    made = helper.make_node("Split", node.input[:1], node.output, **given)
    yield from models(case, [made], range(1, 2))


REWRITES = {1: split_1}

REFUSED = {"test_GLU": (AttributeValueError, "axis is -1, expected 0 to 1")}
"""PyTorch exported it at opset 6, whose text of Split-2 knows no negative axis."""


def differs(node: NodeProto, schema: defs.OpSchema, case: Case) -> bool:
    """Whether the axis counts from the end, which versions before 11 refuse."""
    return schema.since_version < 11 and counts_from_the_end(node)
