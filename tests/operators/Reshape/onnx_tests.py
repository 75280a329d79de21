"""ONNX's tests of Reshape, in the words of Reshape-1."""

from __future__ import annotations

from collections.abc import Iterator

from onnx import ModelProto, helper

from onnx_rewrites import allowed, data_of, ends, models
from onnx_suite import Case


def reshape_1(case: Case) -> Iterator[tuple[int, ModelProto]]:
    """Reshape-1 takes the shape as an attribute where later versions take it as an input."""
    if len(case.model.graph.node) != 1 or len(case.data) != 1:
        return
    [node] = case.model.graph.node
    types = [value.type.tensor_type.elem_type for value in ends(case)]
    if node.attribute or not allowed("Reshape", 1, types):
        return
    shape = data_of(case, node.input[1]).tolist()
    made = helper.make_node("Reshape", node.input[:1], node.output, shape=shape)
    yield from models(case, [made], range(1, 5))


REWRITES = {1: reshape_1}
