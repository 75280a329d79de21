"""ONNX's tests of RoiAlign, in the words of RoiAlign-10, which moves nothing by half a pixel."""

from __future__ import annotations

from collections.abc import Iterator

from onnx import ModelProto, helper

from onnx_rewrites import allowed, ends
from onnx_suite import Case


def roi_align_10(case: Case) -> Iterator[tuple[int, ModelProto]]:
    """Yield a test for RoiAlign-10 if the case requests output_half_pixel."""
    if len(case.model.graph.node) != 1:
        return
    [node] = case.model.graph.node
    given = {each.name: helper.get_attribute_value(each) for each in node.attribute}
    types = [value.type.tensor_type.elem_type for value in ends(case)[:1]]
    transformation = given.pop("coordinate_transformation_mode", b"half_pixel")
    if transformation != b"output_half_pixel" or not allowed("RoiAlign", 10, types):
        return
    graph = case.model.graph
    made = helper.make_node("RoiAlign", node.input, node.output, **given)
    rewritten = helper.make_graph([made], case.name, graph.input, graph.output)
    for opset in range(10, 16):
        imports = [helper.make_opsetid("", opset)]
        yield opset, helper.make_model(rewritten, opset_imports=imports, ir_version=3)


REWRITES = {10: roi_align_10}
