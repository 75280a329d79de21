"""``opmill.Model`` runs operators of com.microsoft, beside onnxruntime."""

from __future__ import annotations

import inspect

import numpy as np
import onnxruntime as ort
import pytest
from onnx import helper, numpy_helper, parser

import opmill
from opmill.com_microsoft import opset1

RANDOM = np.random.default_rng(5)


def both(model, inputs, backend):
    """The outputs of opmill and of onnxruntime, which does not optimise the graph."""
    options = ort.SessionOptions()
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = ort.InferenceSession(
        model.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )
    with opmill.use_backend(backend):
        return opmill.Model(model).run(inputs), session.run(None, inputs)


@pytest.mark.parametrize("backend", opmill.backends())
def test_a_block_of_an_optimised_transformer(backend):
    model = parser.parse_model("""
    <ir_version: 8, opset_import: ["": 17, "com.microsoft": 1]>
    g (float[2, 3, 8] x, float[8, 8] w, float[8] b, float[8] gamma, float[8] beta)
    => (float[2, 3, 8] y, float[2, 3, 8] sum, float[2, 3, 3] scores, float[2, 3, 8] z) {
        h = com.microsoft.FusedMatMul <transB = 1, alpha = 0.5> (x, w)
        a = com.microsoft.BiasGelu (h, b)
        q = com.microsoft.QuickGelu (a)
        y, , , sum = com.microsoft.SkipLayerNormalization <epsilon = 1e-5> (q, x, gamma, beta)
        scores = com.microsoft.FusedMatMul <transB = 1> (y, sum)
        f = com.microsoft.FastGelu (y, b)
        z = com.microsoft.SkipSimplifiedLayerNormalization (f, y, gamma)
    }""")
    shapes = {"x": (2, 3, 8), "w": (8, 8), "b": (8,), "gamma": (8,), "beta": (8,)}
    inputs = {name: RANDOM.standard_normal(shape, np.float32) for name, shape in shapes.items()}
    ours, theirs = both(model, inputs, backend)
    for one, other in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("backend", opmill.backends())
def test_a_quantised_branch(backend):
    model = parser.parse_model("""
    <ir_version: 8, opset_import: ["": 13, "com.microsoft": 1]>
    g (uint8[2, 3, 4] x, float s, uint8 z) => (uint8[2, 3, 4] y) {
        a = com.microsoft.QLinearSigmoid (x, s, z, s, z)
        b = com.microsoft.QLinearMul (x, s, z, a, s, z, s, z)
        c = com.microsoft.QLinearLeakyRelu <alpha = 0.1> (b, s, z, s, z)
        d = com.microsoft.QLinearAdd (c, s, z, x, s, z, s)
        t = Constant <value = float {0.00390625}> ()
        y = com.microsoft.QLinearSoftmax <axis = -1, opset = 13> (d, s, z, t, z)
    }""")
    inputs = {
        "x": RANDOM.integers(0, 256, (2, 3, 4), np.uint8),
        "s": np.array(0.02, np.float32),
        "z": np.array(7, np.uint8),
    }
    ours, theirs = both(model, inputs, backend)
    np.testing.assert_array_equal(ours[0], theirs[0])


@pytest.mark.parametrize("backend", opmill.backends())
@pytest.mark.parametrize("rows", [1, 5])
def test_a_projection_of_a_language_model(backend, rows):
    """Its weights have four bits and are constants, as the builder of such models writes them."""
    depth, columns, size = 96, 24, 32
    tables = {
        "B": RANDOM.integers(0, 256, (columns, depth // size, size // 2), np.uint8),
        "scales": RANDOM.random((columns, depth // size), np.float32),
        "zeros": RANDOM.integers(0, 256, (columns, 2), np.uint8),
    }
    node = helper.make_node(
        "MatMulNBits", ["x", *tables], ["y"],
        domain="com.microsoft", K=depth, N=columns, bits=4, block_size=size,
    )  # fmt: skip
    graph = helper.make_graph(
        [node],
        "g",
        [helper.make_tensor_value_info("x", 1, [rows, depth])],
        [helper.make_tensor_value_info("y", 1, [rows, columns])],
        initializer=[numpy_helper.from_array(table, name) for name, table in tables.items()],
    )
    opsets = [helper.make_opsetid("", 21), helper.make_opsetid("com.microsoft", 1)]
    model = helper.make_model(graph, opset_imports=opsets, ir_version=10)
    ours, theirs = both(model, {"x": RANDOM.standard_normal((rows, depth), np.float32)}, backend)
    np.testing.assert_allclose(ours[0], theirs[0], rtol=1e-5, atol=1e-4)


def test_an_optional_input_before_a_required_one_has_no_default():
    parameters = inspect.signature(opset1.q_linear_add).parameters
    assert parameters["A_zero_point"].default is inspect.Parameter.empty
    assert parameters["C_zero_point"].default is None
    one = np.array([2], np.uint8)
    unit = np.array(1, np.float32)
    np.testing.assert_array_equal(opset1.q_linear_add(one, unit, None, one, unit, None, unit), [4])


@pytest.mark.parametrize("backend", opmill.backends())
def test_products_of_a_quantised_network(backend):
    """Weights have seven bits and are constants, so that onnxruntime's sums do not saturate."""
    weights = RANDOM.integers(-64, 64, (16, 12)).astype(np.int8)
    constants = {
        "W": weights,
        "V": np.ascontiguousarray(weights[:12]),
        "scales": RANDOM.random(12, np.float32),
        "zeros": RANDOM.integers(-8, 8, 12).astype(np.int8),
        "bias": RANDOM.standard_normal(12).astype(np.float32),
        "C": RANDOM.integers(-500, 500, 12).astype(np.int32),
        "s": np.array(0.05, np.float32),
        "z": np.array(120, np.uint8),
        "axis": np.array(-3, np.int32),
    }
    model = parser.parse_model("""
    <ir_version: 10, opset_import: ["": 21, "com.microsoft": 1]>
    g (float[5, 16] x, bool[5, 1] mask) => (float[5, 12] a, uint8[1, 5, 12] d, float[5, 12] e) {
        a = com.microsoft.DynamicQuantizeMatMul (x, W, scales, zeros, bias)
        q = com.microsoft.QuantizeLinear (a, s, z)
        b = com.microsoft.QGemm <alpha = 0.3, transB = 1> (q, s, z, V, scales, zeros, C, s, z)
        c = com.microsoft.QLinearWhere (mask, q, s, z, b, s, z, s, z)
        d = com.microsoft.ExpandDims (c, axis)
        f = com.microsoft.MatMulIntegerToFloat (c, V, s, scales, z, zeros, bias)
        h = com.microsoft.DequantizeLinear (c, s, z)
        e = Add (f, h)
    }""")
    model.graph.initializer.extend(
        numpy_helper.from_array(value, name) for name, value in constants.items()
    )
    inputs = {
        "x": RANDOM.standard_normal((5, 16), np.float32),
        "mask": np.array([[True], [False], [True], [False], [False]]),
    }
    ours, theirs = both(model, inputs, backend)
    for one, other in zip(ours, theirs, strict=True):
        np.testing.assert_array_equal(one, other)
