"""Small ONNX models for the tests of ``opmill.onnx_backend``."""

from __future__ import annotations

import numpy as np
import pytest
from onnx import ModelProto, TensorProto, helper

from opmill.onnx_backend import OnnxBackend

F, I64 = TensorProto.FLOAT, TensorProto.INT64
TILE = helper.make_node("Tile", ["x", "n"], ["y"], name="tile")
X = np.array([[1, 2]], np.float32)
N = np.array([2, 1])
Y = np.array([[1, 2], [1, 2]], np.float32)


def value(name, type_=F, dims=None):
    """An input or output; where dims are not given, its rank is that of a count or of a matrix."""
    open_dims = [None] if type_ == I64 else [None, None]
    return helper.make_tensor_value_info(name, type_, open_dims if dims is None else dims)


INPUTS = (value("x"), value("n", I64))
OUTPUTS = (value("y"),)


def model_of(
    nodes=(TILE,),
    inputs=INPUTS,
    outputs=OUTPUTS,
    initializers=(),
    opset=13,
    imports=(),
    **more,
) -> ModelProto:
    graph = helper.make_graph(nodes, "graph", inputs, outputs, initializers)
    opsets = [helper.make_opsetid("", opset), *imports]
    return helper.make_model(graph, opset_imports=opsets, ir_version=10, **more)


def refused(error, words, model, **options):
    """Preparing the model must raise exactly this."""
    with pytest.raises(error) as caught:
        OnnxBackend.prepare(model, **options)
    assert (type(caught.value), str(caught.value)) == (error, words)
    return caught.value
