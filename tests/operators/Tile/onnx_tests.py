"""ONNX's tests of Tile, in the words of Tile-1."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from onnx import ModelProto, helper, numpy_helper

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


REWRITES = {1: tile_1}
