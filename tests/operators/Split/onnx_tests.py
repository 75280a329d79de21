"""ONNX's tests of Split, in the words of Split-1."""

from __future__ import annotations

from collections.abc import Iterator

from onnx import ModelProto, helper

from onnx_rewrites import allowed, ends, models
from onnx_suite import Case


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
    if "num_outputs" in given or not allowed("Split", 1, types):
        return
    given = {"axis": axis, **({"split": given["split"]} if "split" in given else {})}
    made = helper.make_node("Split", node.input[:1], node.output, **given)
    yield from models(case, [made], range(1, 2))


REWRITES = {1: split_1}
