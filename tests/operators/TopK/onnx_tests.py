"""ONNX's tests of TopK, in the words of TopK-1, and where versions do not differ for them."""

from __future__ import annotations

from collections.abc import Iterator

from onnx import ModelProto, helper

from onnx_rewrites import allowed, data_of, ends, models
from onnx_suite import Case


def top_k_1(case: Case) -> Iterator[tuple[int, ModelProto]]:
    """TopK-1 takes k as an attribute where later versions take it as an input."""
    if len(case.model.graph.node) != 1 or len(case.data) != 1:
        return
    [node] = case.model.graph.node
    given = {each.name: helper.get_attribute_value(each) for each in node.attribute}
    types = [value.type.tensor_type.elem_type for value in ends(case)[:2]]
    if given.get("largest", 1) != 1 or not allowed("TopK", 1, types):
        return
    [k] = data_of(case, node.input[1]).tolist()
    named = {"axis": given["axis"]} if "axis" in given else {}
    made = helper.make_node("TopK", node.input[:1], node.output, k=k, **named)
    yield from models(case, [made], range(1, 10))


REWRITES = {1: top_k_1}
NEUTRAL = ("largest", "sorted")
"""They default to the largest, in order, which versions before them give."""
