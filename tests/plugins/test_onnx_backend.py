"""``opmill.onnx_backend``: what it runs, and how values are given."""

from __future__ import annotations

import subprocess
import sys
import threading

import ml_dtypes
import numpy as np
import pytest
from onnx import TensorProto, helper, numpy_helper, parser

import opmill
from onnx_models import I64, TILE, F, N, X, Y, model_of, refused, value
from opmill.onnx_backend import OnnxBackend

# What runs


@pytest.mark.parametrize("given", [[X, N], (X, N), {"x": X, "n": N}, {"n": N, "x": X}])
def test_inputs_come_in_order_or_by_name(given):
    outputs = OnnxBackend.run_model(model_of(), given)
    assert isinstance(outputs, tuple)
    np.testing.assert_array_equal(outputs[0], Y)
    np.testing.assert_array_equal(outputs["y"], Y)


def test_an_initializer_is_a_constant_and_a_default_where_it_is_an_input_too():
    counts = numpy_helper.from_array(N, "n")
    constant = OnnxBackend.prepare(model_of(inputs=[value("x")], initializers=[counts]))
    default = OnnxBackend.prepare(model_of(initializers=[counts]))
    for prepared in (constant, default):
        assert prepared.input_names == ("x",)
        assert prepared.output_names == ("y",)
        np.testing.assert_array_equal(prepared.run([X])[0], Y)
    other = np.array([1, 2])
    for given in ([X, other], {"x": X, "n": other}):
        assert default.run(given)[0].tolist() == [[1, 2, 1, 2]]
    np.testing.assert_array_equal(default.run([X])[0], Y)


@pytest.mark.parametrize(
    ("attribute", "expected"),
    [
        ({"value": numpy_helper.from_array(N)}, N),
        ({"value_ints": [2, 1]}, N),
        ({"value_int": 7}, np.array(7)),
        ({"value_float": 0.1}, np.array(0.1, np.float32)),
        ({"value_floats": [0.5, 2.0]}, np.array([0.5, 2], np.float32)),
        ({"value_string": "a"}, np.array("a", object)),
        ({"value_strings": ["a", "b"]}, np.array(["a", "b"], object)),
    ],
)
def test_constant_nodes_are_constants(attribute, expected):
    node = helper.make_node("Constant", [], ["c"], **attribute)
    code = helper.np_dtype_to_tensor_dtype(expected.dtype)
    prepared = OnnxBackend.prepare(
        model_of([node, TILE], outputs=[value("c", code, expected.shape), value("y")])
    )
    for _ in range(2):
        constant, _ = prepared.run([X, N])
        assert constant.dtype == expected.dtype
        np.testing.assert_array_equal(constant, expected)
        constant[...] = constant.flat[0]  # the caller's own
    (alone,) = OnnxBackend.run_node(node, [])
    np.testing.assert_array_equal(alone, expected)


def test_a_chain_of_nodes_and_an_output_that_is_an_input():
    nodes = [
        helper.make_node("Tile", ["x", "n"], ["t"]),
        helper.make_node("Expand", ["t", "s"], ["y"]),
        helper.make_node("Tile", ["t", "n"], ["unused"]),
    ]
    shape = numpy_helper.from_array(np.array([2, 1, 1]), "s")
    outputs = [value("y", F, [2, 2, 2]), value("x"), value("t")]
    prepared = OnnxBackend.prepare(model_of(nodes, outputs=outputs, initializers=[shape]))
    x = X.copy()
    y, same, t = prepared.run([x, N])
    assert (y.shape, t.shape) == ((2, 2, 2), (2, 2))
    same[...] = 9
    np.testing.assert_array_equal(x, X)


@pytest.mark.parametrize("backend", opmill.backends())
@pytest.mark.parametrize(
    "dtype", [np.float64, np.float16, ml_dtypes.bfloat16, np.bool_, np.complex64, object]
)
def test_every_type_of_the_schema_comes_through(dtype, backend):
    x = np.array([["a", "b"]], object) if dtype is object else np.array([[1, 0]], dtype)
    code = helper.np_dtype_to_tensor_dtype(x.dtype)
    for initializers, given in (([], [x, N]), ([numpy_helper.from_array(x, "x")], {"n": N})):
        model = model_of(
            inputs=[value("x", code), value("n", I64)],
            outputs=[value("y", code)],
            initializers=initializers,
        )
        with opmill.use_backend(backend):
            (y,) = OnnxBackend.run_model(model, given)
        assert y.dtype == x.dtype
        np.testing.assert_array_equal(y, np.concatenate([x, x]))


def test_the_opset_decides_which_version_runs():
    x = np.array([[1, 2]], ml_dtypes.bfloat16)
    types = {
        "inputs": [value("x", TensorProto.BFLOAT16), value("n", I64)],
        "outputs": [value("y", TensorProto.BFLOAT16)],
    }
    assert OnnxBackend.run_model(model_of(**types), [x, N])[0].shape == (2, 2)
    # onnx's own checker does not look at types; Tile-6 does.
    old = OnnxBackend.prepare(model_of(**types, opset=12))
    with pytest.raises(
        opmill.TypeConstraintError, match="Tile-6: input has type bfloat16"
    ) as caught:
        old.run([x, N])
    assert str(caught.value).startswith("node 0 'tile' of ai.onnx: Tile-6: ")


def test_a_model_may_name_onnx_s_domain():
    model = model_of([helper.make_node("Tile", ["x", "n"], ["y"], domain="ai.onnx")])
    model.opset_import[0].domain = "ai.onnx"
    np.testing.assert_array_equal(OnnxBackend.run_model(model, [X, N])[0], Y)


def test_the_model_is_not_kept():
    model = model_of(inputs=[value("x")], initializers=[numpy_helper.from_array(N, "n")])
    prepared = OnnxBackend.prepare(model)
    model.Clear()
    np.testing.assert_array_equal(prepared.run([X])[0], Y)


def test_many_threads_run_one_prepared_model():
    model = model_of(inputs=[value("x")], initializers=[numpy_helper.from_array(N, "n")])
    prepared = OnnxBackend.prepare(model)
    wrong = []

    def work(number):
        x = np.full((1, 1000), number, np.float32)
        for _ in range(50):
            (y,) = prepared.run([x])
            if y.shape != (2, 1000) or not (y == number).all():
                wrong.append(number)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_single_nodes_run():
    conv = helper.make_node("ConvTranspose", ["x", "w", ""], ["y"], strides=[2])
    x, w = np.array([[[1, 10]]], np.float32), np.array([[[1, 2]]], np.float32)
    for inputs in ([x, w, None], [x, w]):
        (y,) = OnnxBackend.run_node(conv, inputs)
        assert y.tolist() == [[[1, 2, 10, 20]]]
    (y,) = OnnxBackend.run_node(TILE, [X, N], opset_version=6)
    np.testing.assert_array_equal(y, Y)
    with pytest.raises(opmill.OpError, match="Tile-1: number of inputs is 2, expected 3"):
        OnnxBackend.run_node(TILE, [X, N], opset_version=5)


def test_single_nodes_run_their_graphs():
    text = """<ir_version: 8, opset_import: ["": 13]>
    g (int64[1] m, float[1] x) => (float[1] y, float[n, 1] z) {
        y, z = Loop <body = b (int64 i, bool c, float[1] v) => (bool d, float[1] w, float[1] o) {
            d = Identity(c) w = Add(v, x) o = Identity(v)
        }> (m, , x)
    }"""
    [loop] = parser.parse_model(text).graph.node
    count, x = np.array([3]), np.ones(1, np.float32)
    for inputs in ([count, None, x], [count, x]):
        y, z = OnnxBackend.run_node(loop, inputs, opset_version=13)
        assert (y.tolist(), z.tolist()) == ([4], [[1], [2], [3]])
    with pytest.raises(opmill.FeedError):
        OnnxBackend.run_node(loop, [count])


def test_the_cpu_is_the_only_device():
    assert OnnxBackend.supports_device("CPU")
    assert OnnxBackend.supports_device("CPU:0")
    for device in ("CUDA", "CUDA:0", "", "cpu"):
        assert not OnnxBackend.supports_device(device)
        words = f"there is no device '{device}'; opmill computes on the CPU"
        refused(opmill.BackendError, words, model_of(), device=device)


def test_is_compatible_says_whether_prepare_would_take_it():
    assert OnnxBackend.is_compatible(model_of())
    assert not OnnxBackend.is_compatible(model_of(opset=0))
    assert not OnnxBackend.is_compatible(model_of(), "CUDA")


def test_without_onnx_the_error_says_what_to_install():
    code = (
        "import sys; sys.modules['onnx'] = None\n"
        "import opmill\n"
        "try:\n"
        "    import opmill.onnx_backend\n"
        "except ImportError as error:\n"
        "    print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "needs the package onnx" in done.stdout
    assert "pip install 'onnx>=1.16,<2'" in done.stdout
