"""ONNX's tests in the words of operator versions whose signature differs from the tested one."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from onnx import ModelProto, NodeProto, TensorProto, ValueInfoProto, defs, helper, numpy_helper

from onnx_suite import Case


def tile_1(case: Case) -> Iterator[tuple[int, ModelProto]]:
    """Tile-1 grows one axis; one call after the other does what counts for each axis do.

    Counts and axes are of the input's own floating type. Only tests with floating data can be
    said so, and only one data set, since its counts become part of the model.
    """
    (inputs, _) = case.data[0]
    source, counts = inputs[0], _counts(case)
    if source.dtype.kind != "f" or len(case.data) != 1:
        return
    declared, value = case.model.graph.input[0], case.model.graph.input[0].name
    nodes, constants = [], []
    for axis, count in enumerate(counts):
        names = [f"tiles_{axis}", f"axis_{axis}"]
        for name, number in zip(names, (count, axis), strict=True):
            constants.append(numpy_helper.from_array(np.array([number], source.dtype), name))
        made = case.model.graph.output[0].name if axis + 1 == len(counts) else f"tiled_{axis}"
        nodes.append(helper.make_node("Tile", [value, *names], [made]))
        value = made
    # Before IR version 4 an initializer is an input too.
    also = [helper.make_tensor_value_info(c.name, c.data_type, c.dims) for c in constants]
    graph = helper.make_graph(
        nodes, case.name, [declared, *also], [case.model.graph.output[0]], constants
    )
    for opset in range(1, 6):
        imports = [helper.make_opsetid("", opset)]
        yield opset, helper.make_model(graph, opset_imports=imports, ir_version=3)


def _counts(case: Case) -> list[int]:
    """The repeats of a test of Tile: its second input, or a constant of its model."""
    inputs = case.data[0][0]
    if len(inputs) == 2:
        return [int(count) for count in inputs[1]]
    (constant,) = (node for node in case.model.graph.node if node.op_type == "Constant")
    return numpy_helper.to_array(constant.attribute[0].t).tolist()


def cast_1(case: Case) -> Iterator[tuple[int, ModelProto]]:
    """Cast-1 takes the name of the type where later versions take its number."""
    if len(case.model.graph.node) != 1:
        return
    [node] = case.model.graph.node
    types = [value.type.tensor_type.elem_type for value in _ends(case)]
    if {attribute.name for attribute in node.attribute} != {"to"} or not _allowed("Cast", 1, types):
        return
    name = TensorProto.DataType.Name(node.attribute[0].i)
    made = helper.make_node("Cast", node.input, node.output, to=name)
    yield from _models(case, [made], range(1, 6))


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
    types = [value.type.tensor_type.elem_type for value in _ends(case)]
    axis = given.get("axis", 0)
    if axis < 0 or "num_outputs" in given or not _allowed("Split", 1, types):
        return
    given = {"axis": axis, **({"split": given["split"]} if "split" in given else {})}
    made = helper.make_node("Split", node.input[:1], node.output, **given)
    yield from _models(case, [made], range(1, 2))


def _ends(case: Case) -> list[ValueInfoProto]:
    """The data and the outputs of a model."""
    return [case.model.graph.input[0], *case.model.graph.output]


def _allowed(name: str, version: int, types: list[int]) -> bool:
    """Whether an operator version, which has no other types than its first input's, has these."""
    words = {f"tensor({TensorProto.DataType.Name(type_).lower()})" for type_ in types}
    return words <= set(defs.get_schema(name, version, "").inputs[0].types)


def _models(case: Case, nodes: list[NodeProto], opsets: range) -> Iterator[tuple[int, ModelProto]]:
    graph = case.model.graph
    rewritten = helper.make_graph(nodes, case.name, [graph.input[0]], graph.output)
    for opset in opsets:
        imports = [helper.make_opsetid("", opset)]
        yield opset, helper.make_model(rewritten, opset_imports=imports, ir_version=3)


REWRITES: dict[tuple[str, int], Callable[[Case], Iterator[tuple[int, ModelProto]]]] = {
    ("Cast", 1): cast_1,
    ("Split", 1): split_1,
    ("Tile", 1): tile_1,
}
"""Operator version -> the models, each with its opset, that ask of it what a test asks."""
