"""``opmill.onnxruntime_ops``: the operators inside of onnxruntime, among its own."""

from __future__ import annotations

import threading

import ml_dtypes
import numpy as np
import onnxruntime as ort
import pytest
from onnx import TensorProto, checker, defs, helper

import opmill
from onnxruntime_models import TILE, X, double_conv, model, quiet, refused, run
from opmill.onnxruntime_ops import (
    ModelError,
    Session,
    lowered,
    node_names,
)

pytestmark = pytest.mark.slow


def why_not(name, version):
    """Why a Python operator, whose types and numbers are fixed, cannot be an operator version."""
    schema = defs.get_schema(name, version, "")
    for formal in (*schema.inputs, *schema.outputs):
        if formal.option == defs.OpSchema.FormalParameterOption.Variadic:
            return f"{formal.name} is variadic"
        if not any(word.startswith("tensor(") for word in formal.types):
            return f"{formal.name} cannot be a tensor that onnxruntime can hand over"
    taken = {formal.type_str for formal in schema.inputs}
    for formal in schema.outputs:
        if formal.type_str not in taken and len(formal.types) > 1:
            return f"the type of {formal.name} is not that of an input"
    return None


@pytest.mark.parametrize(("outputs", "expected"), [(["y", ""], [[2.0]]), (["", "y"], [[1]])])
def test_an_output_without_a_name_is_not_used(outputs, expected):
    kind = "float" if outputs[0] else "int64"
    body = "k = Constant <value_ints = [1]> () y, z = opmill.TopK_11(x, k)"
    given = model(body, "float[a, b] x", f"{kind}[c, d] y")
    given.graph.node[1].output[:] = outputs
    assert run(given, {"x": X})[0].tolist() == expected


def test_every_supported_version_has_a_node_name_where_a_python_operator_can_be_one():
    own = tuple(f"{domain.replace('.', '_')}_" for domain, _, _ in opmill.operators())
    # Of versions of a coming release the installed onnx knows no schema.
    reasons = {
        (name, version): why_not(name, version)
        for domain, name, version in opmill.operators()
        if domain == "ai.onnx" and version <= defs.onnx_opset_version()
    }
    coming = {
        f"{name}_{version}"
        for domain, name, version in opmill.operators()
        if domain == "ai.onnx" and version > defs.onnx_opset_version()
    }
    found = {f"{name}_{version}" for (name, version), why in reasons.items() if why is None}
    assert {name for name in node_names() if not name.startswith(own)} - coming == found
    cannot = {one: why for one, why in reasons.items() if why is not None}
    assert {name for name, _ in cannot} >= {"Cast", "Concat", "Split"}
    for (name, version), why in cannot.items():
        words = f"node 0: {name}-{version} cannot be computed in onnxruntime: {why}"
        attributes = " <to = 1>" if name == "Cast" else ""
        given = model(f"y = opmill.{name}_{version}{attributes} (x)", "float[a] x", "float[b] y")
        refused(ModelError, words, given)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_tile_1_runs_among_onnxruntime_s_operators(dtype):
    """onnxruntime has no Tile-1; here it is in a model of opset 13."""
    word = "float" if dtype is np.float32 else "double"
    given = model(
        "m = Neg(x) t = opmill.Tile_1(m, tiles, axis) y = Abs(t)",
        f"{word}[a, b] x, {word}[1] tiles, {word}[1] axis",
        f"{word}[c, d] y",
    )
    feeds = {"x": [[1, 2], [3, 4]], "tiles": [3], "axis": [-1]}
    (y,) = run(given, {name: np.array(value, dtype) for name, value in feeds.items()})
    assert y.dtype == dtype
    assert y.tolist() == [[1, 2, 1, 2, 1, 2], [3, 4, 3, 4, 3, 4]]


SIGNAL = [[[1, 10, 100, 1000]]]
KERNEL = [[[1, 2, 3]]]
EXPECTED = [1, 2, 13, 20, 130, 200, 1300, 2000]


@pytest.mark.parametrize("opset", [7, 11, 22])
def test_onnxruntime_has_no_convtranspose_of_doubles(opset):
    given = double_conv("ConvTranspose", opset=opset)
    with pytest.raises(Exception, match=r"NOT_IMPLEMENTED.*ConvTranspose"):
        ort.InferenceSession(given.SerializeToString(), quiet())


@pytest.mark.parametrize("bias", ["", ", b"])
@pytest.mark.parametrize(
    ("name", "opset", "replace"),
    [
        ("ConvTranspose", 7, ["ConvTranspose"]),
        ("ConvTranspose", 22, ["ConvTranspose"]),
        ("opmill.ConvTranspose_1", 13, []),
        ("opmill.ConvTranspose_22", 13, []),
    ],
)
def test_a_convtranspose_of_doubles_runs_among_onnxruntime_s_operators(name, opset, replace, bias):
    given = double_conv(name, bias, opset)
    feeds = {"x": np.array(SIGNAL, np.float64), "w": np.array(KERNEL, np.float64)}
    if bias:
        feeds["b"] = np.array([0.5])
    (y,) = run(given, feeds, replace)
    assert y.dtype == np.float64
    assert y.ravel().tolist() == [value + (0.5 if bias else 0) for value in EXPECTED]


@pytest.mark.parametrize(("code", "dtype"), [(16, ml_dtypes.bfloat16), (10, np.float16)])
@pytest.mark.parametrize("name", ["ConvTranspose", "opmill.ConvTranspose_22"])
def test_small_floats_are_computed_as_what_they_are(name, code, dtype):
    """onnxruntime hands no bfloat16 to Python; Casts of the model do."""
    body = f"""
        p = Cast <to = {code}> (x)
        v = Cast <to = {code}> (w)
        t = {name} (p, v)
        y = Cast <to = 1> (t)
    """
    given = model(body, "float[n, c, l] x, float[1, 1, 3] w", "float[n, m, k] y", 22)
    x = np.array([[[256, 2, 1]]], np.float32)
    w = np.array([[[1, 1, 1]]], np.float32)
    (y,) = run(given, {"x": x, "w": w}, [] if "opmill" in name else ["ConvTranspose"])
    # In bfloat16, 257 and 259 lie between 256, 258 and 260; each sum is rounded once, to even.
    sums = np.array([256, 258, 259, 3, 1], np.float32)
    assert y.ravel().tolist() == sums.astype(dtype).astype(np.float32).tolist()
    if dtype is ml_dtypes.bfloat16:
        assert y.ravel().tolist() == [256, 258, 260, 3, 1]


@pytest.mark.parametrize(
    "values",
    [
        np.array([0, 1, 2**64 - 1, 2**63], np.uint64),
        np.array([-(2**63), 2**63 - 1, 2**53 + 1], np.int64),
        np.array([-128, 127], np.int8),
        np.array([0, 255], np.uint8),
        np.array([-(2**15), 2**15 - 1], np.int16),
        np.array([2**16 - 1], np.uint16),
        np.array([-(2**31)], np.int32),
        np.array([2**32 - 1], np.uint32),
        np.array([True, False]),
        np.array(["a", "", "caf\u00e9"], object),
        np.array([0.1, -0.0, np.inf], np.float32),
        np.array([0.1, -0.0, 5e-324], np.float64),
        np.array([1.5, -0.0, np.inf, 6e-8], np.float16),
        np.array([], np.float32),
    ],
    ids=lambda values: f"{values.dtype}-{values.size}",
)
@pytest.mark.parametrize("backend", opmill.backends())
def test_every_type_comes_through_exactly(values, backend):
    code = helper.np_dtype_to_tensor_dtype(values.dtype)
    given = helper.make_model(
        helper.make_graph(
            [helper.make_node("Tile_13", ["x", "n"], ["y"], domain="opmill")],
            "g",
            [
                helper.make_tensor_value_info("x", code, ["a"]),
                helper.make_tensor_value_info("n", TensorProto.INT64, ["b"]),
            ],
            [helper.make_tensor_value_info("y", code, ["c"])],
        ),
        opset_imports=[helper.make_opsetid("", 13), helper.make_opsetid("opmill", 1)],
        ir_version=8,
    )
    with opmill.use_backend(backend):
        (y,) = run(given, {"x": values, "n": np.array([2])})
    assert y.dtype == values.dtype
    expected = np.concatenate([values, values])
    if values.dtype == object:
        assert y.tolist() == expected.tolist()
    else:
        assert y.tobytes() == expected.tobytes()


def test_float_bits_come_through_even_of_a_nan():
    bits = np.array([0x7F800001, 0x7FC12345, 0xFFC00000], np.uint32)
    given = model("y = opmill.Expand_13(x, n)", "float[a] x, int64[r] n", "float[b] y")
    (y,) = run(given, {"x": bits.view(np.float32), "n": np.array([1])})
    assert y.view(np.uint32).tolist() == bits.tolist()


@pytest.mark.parametrize("shape", [(), (0,), (2, 0, 3), (1,) * 9])
def test_shapes_of_rank_0_of_size_0_and_of_many_dims_come_through(shape):
    dims = ", ".join(f"d{k}" for k in range(len(shape)))
    given = model("y = opmill.Expand_13(x, n)", f"float[{dims}] x, int64[r] n", f"float[{dims}] y")
    (y,) = run(given, {"x": np.ones(shape, np.float32), "n": np.array(shape, np.int64)})
    assert y.shape == shape


def test_two_of_ours_one_after_the_other_need_no_declared_types():
    body = """
        p = Cast <to = 10> (x)
        s = opmill.Tile_6(p, n)
        t = opmill.Expand_8(s, m)
        u = Neg(t)
        y = opmill.Tile_13(u, n)
    """
    given = model(body, "float[a, b] x, int64[r] n, int64[q] m", "float16[c, d] y")
    feeds = {"x": X, "n": np.array([2, 1]), "m": np.array([1, 1])}
    (y,) = run(given, feeds)
    assert y.dtype == np.float16
    assert y.tolist() == [[-1, -2]] * 4


def test_an_output_that_is_left_out_gives_its_type_to_no_input_that_is():
    given = model(
        'a, "", c = opmill.LSTM_7 <hidden_size = 1> (x, w, r)\n'
        'd = opmill.LSTM_7 <hidden_size = 1> (y, v, s, "")',
        "float16[1, 1, 1] x, float16[1, 4, 1] w, float16[1, 4, 1] r,"
        "float[1, 1, 1] y, float[1, 4, 1] v, float[1, 4, 1] s",
        "float16[1, 1, 1, 1] a, float16[1, 1, 1] c, float[1, 1, 1, 1] d",
    )
    feeds = {
        value.name: np.ones(
            [dim.dim_value for dim in value.type.tensor_type.shape.dim],
            helper.tensor_dtype_to_np_dtype(value.type.tensor_type.elem_type),
        )
        for value in given.graph.input
    }
    assert [result.dtype for result in run(given, feeds)] == [np.float16, np.float16, np.float32]


def test_the_given_model_is_not_changed_and_the_lowered_one_says_what_is_called():
    given = double_conv("ConvTranspose")
    before = given.SerializeToString(deterministic=True)
    result = lowered(given, ["ConvTranspose"])
    assert given.SerializeToString(deterministic=True) == before
    assert [(node.domain, node.op_type) for node in result.graph.node] == [
        ("", "Neg"),
        ("", "Neg"),
        ("opmill", "ConvTranspose_22"),
        ("", "Reshape"),
        ("", "Relu"),
    ]
    checker.check_model(result)
    assert lowered(result.__class__.FromString(before)).SerializeToString() == before


def test_a_model_without_nodes_of_ours_is_only_copied():
    given = model("y = Neg(x)", "float[a, b] x", "float[a, b] y", more="")
    assert lowered(given) == given
    assert run(given, {"x": X})[0].tolist() == [[-1, -2]]


def test_names_that_are_taken_are_not_used():
    given = model(
        "m = Neg(x) y = opmill.Tile_13(x, n)",
        "float[a, b] x, int64[r] n",
        "float[c, d] y, float[e, f] m",
    )
    given.graph.node[0].output[0] = given.graph.output[1].name = "opmill/y_raw"
    y, negative = run(given, {"x": X, "n": np.array([1, 2])})
    assert y.tolist() == [[1, 2, 1, 2]]
    assert negative.tolist() == [[-1, -2]]


def test_threads_share_a_session():
    session = Session(TILE, options=quiet())
    wrong = []

    def work(number):
        for turn in range(20):
            counts = [number, 1] if turn % 2 else [number]
            try:
                (y,) = session.run(None, {"x": X, "n": np.array(counts)})
                if len(counts) == 1 or y.shape != (number, 2):
                    wrong.append(counts)
            except opmill.ShapeError:
                if len(counts) == 2:
                    wrong.append(counts)

    threads = [threading.Thread(target=work, args=(number,)) for number in (1, 2, 3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
