"""``opmill.convert`` on whole models: graphs in graphs, functions, constants, names, reasons."""

from __future__ import annotations

import json

import numpy as np
import onnx
import pytest
from click.testing import CliRunner
from onnx import TensorProto, checker, helper, numpy_helper, parser

import opmill
from opmill_gen.cli.main import main

X = np.arange(6, dtype=np.float32).reshape(1, 2, 3) - 2.5


def model_of(text: str) -> onnx.ModelProto:
    return parser.parse_model(text)


def operators(model: onnx.ModelProto) -> list[str]:
    return [node.op_type for node in model.graph.node]


def converted(model: onnx.ModelProto, opset: int, *inputs) -> onnx.ModelProto:
    """The converted model, which is valid and computes the same bits."""
    done = opmill.convert(model, opset)
    checker.check_model(done, full_check=True)
    assert {one.domain: one.version for one in done.opset_import}[""] == opset
    for wanted, found in zip(
        opmill.Model(model).run(inputs), opmill.Model(done).run(inputs), strict=True
    ):
        np.testing.assert_array_equal(wanted, found, strict=True)
    return done


AXES = model_of(
    '<ir_version: 7, opset_import: ["" : 13]> g (float[1, 2, 3] x) => (float[2, 3] y)'
    "<int64[1] axes = {0}> { y = Squeeze(x, axes) }"
)


def test_constant_input_becomes_an_attribute():
    done = converted(AXES, 11, X)
    assert not done.graph.initializer
    assert done.ir_version == 6
    assert [helper.get_attribute_value(a) for a in done.graph.node[0].attribute] == [[0]]


def test_attribute_becomes_an_input_whose_name_is_new():
    older = converted(AXES, 11, X)
    older.graph.node[0].name = "squeeze"
    done = converted(older, 13, X)
    assert done.graph.node[0].name == "squeeze"
    assert [list(numpy_helper.to_array(one)) for one in done.graph.initializer] == [[0]]


def test_constant_behind_an_identity():
    model = model_of(
        '<ir_version: 7, opset_import: ["" : 13]> g (float[1, 2, 3] x) => (float[2, 3] y)'
        "{ a = Constant<value_ints = [0]>() b = Identity(a) y = Squeeze(x, b) }"
    )
    assert operators(converted(model, 11, X)) == ["Squeeze"]


def test_constant_that_another_node_reads_stays():
    model = model_of(
        '<ir_version: 7, opset_import: ["" : 13]> g (float[1, 2, 3] x) => '
        "(float[2, 3] y, int64[1] z)"
        "<int64[1] axes = {0}> { y = Squeeze(x, axes) z = Identity(axes) }"
    )
    assert len(converted(model, 11, X).graph.initializer) == 1


def test_default_of_an_input_is_no_constant():
    model = onnx.ModelProto()
    model.CopyFrom(AXES)
    model.graph.input.append(helper.make_tensor_value_info("axes", TensorProto.INT64, [1]))
    with pytest.raises(opmill.ConversionError, match="an input of the model with a default"):
        opmill.convert(model, 11)


def test_all_reasons_at_once():
    model = model_of(
        '<ir_version: 7, opset_import: ["" : 13]> g (float[1, 2, 3] x, int64[1] a) => (y, z)'
        "{ y = Squeeze(x, a) z = ReduceSum(x, a) w = Relu(x) }"
    )
    with pytest.raises(opmill.ConversionError) as caught:
        opmill.convert(model, 11)
    assert [one.operator for one in caught.value.refused] == ["Squeeze", "ReduceSum"]
    assert caught.value.reached == 13
    assert "axes (a) is computed, expected a constant" in str(caught.value)


def test_graphs_in_nodes_and_constants_around_them():
    model = model_of(
        '<ir_version: 7, opset_import: ["" : 13]> g (bool c, float[1, 2, 3] x) => (float[2, 3] y)'
        "<int64[1] axes = {0}> { y = If (c) <"
        "then_branch = t () => (float[2, 3] a) { a = Squeeze(x, axes) },"
        "else_branch = e () => (float[2, 3] b) { s = Squeeze(x, axes) b = Softmax(s) }> }"
    )
    done = converted(model, 11, np.array(True), X)
    assert not done.graph.initializer
    converted(done, 18, np.array(False), X)


FUNCTION = (
    '<ir_version: 8, opset_import: ["" : 13, "own" : 1]> g (float[1, 2, 3] x) => (float[1, 2, 3] y)'
    "{ y = own.f(x) }"
    '<domain: "own", opset_import: ["" : 13]> f (x) => (y) { %s }'
)


def test_result_of_a_cast_has_a_type_before_opset_6():
    model = model_of(
        '<ir_version: 7, opset_import: ["" : 12]> g (int8[1, 2, 3] x) => (int8[1, 2, 1] y)'
        "{ y = ReduceMax<axes = [2]>(x) }"
    )
    done = converted(model, 5, X.astype(np.int8))
    assert "Cast" in operators(done)
    typed = {info.name: info.type.tensor_type.elem_type for info in done.graph.value_info}
    casts = {node.output[0] for node in done.graph.node if node.op_type == "Cast"}
    assert casts - {"y"} <= typed.keys()


def test_function_is_converted_by_itself():
    done = converted(model_of(FUNCTION % "s = Sigmoid(x) y = Mul(x, s)"), 18, X)
    assert [one.name for one in done.functions] == ["f"]
    assert done.functions[0].opset_import[0].version == 18


def test_function_that_needs_types_is_inlined():
    done = converted(model_of(FUNCTION % "y = Softmax<axis = 1>(x)"), 11, X)
    assert not done.functions
    assert [one.domain for one in done.opset_import] == [""]


def test_other_domains_and_metadata_stay():
    model = onnx.ModelProto()
    model.CopyFrom(AXES)
    model.graph.node.add(op_type="Scaler", domain="ai.onnx.ml", input=["y"], output=["z"])
    model.opset_import.add(domain="ai.onnx.ml", version=3)
    model.opset_import.add(domain="unused", version=1)
    model.metadata_props.add(key="author", value="somebody")
    done = opmill.convert(model, 11)
    assert [(one.domain, one.version) for one in done.opset_import] == [("", 11), ("ai.onnx.ml", 3)]
    assert done.metadata_props == model.metadata_props
    assert done.graph.node[1] == model.graph.node[1]


def save_outside(model: onnx.ModelProto, path) -> None:
    """Save a model whose initializers have their data in another file."""
    for tensor in model.graph.initializer:
        tensor.CopyFrom(numpy_helper.from_array(numpy_helper.to_array(tensor), tensor.name))
    onnx.save(model, path, save_as_external_data=True, location="data", size_threshold=0)
    (saved,) = onnx.load(path, load_external_data=False).graph.initializer
    assert saved.data_location == TensorProto.EXTERNAL


def test_external_data_are_read_and_stay(tmp_path):
    model = model_of(
        '<ir_version: 7, opset_import: ["" : 13]> g (float[3] x) => (float[3] y)'
        "<int64[1] axes = {0}> { u = Unsqueeze(x, axes) y = Squeeze(u, axes) }"
    )
    path = tmp_path / "m.onnx"
    save_outside(model, path)
    done = opmill.convert(path, 11)
    assert operators(done) == ["Unsqueeze", "Squeeze"]
    assert not done.graph.initializer
    same = opmill.convert(path, 14).graph.initializer[0]
    assert same.data_location == TensorProto.EXTERNAL


def test_resize_keeps_its_samples():
    model = model_of(
        '<ir_version: 5, opset_import: ["" : 10]> g (float[1, 2] x) => (float[1, 4] y)'
        '<float[2] scales = {1, 2}> { y = Resize<mode = "linear">(x, scales) }'
    )
    (found,) = opmill.Model(opmill.convert(model, 11)).run([np.array([[1, 2]], np.float32)])
    np.testing.assert_array_equal(found, np.array([[1, 1.5, 2, 2]], np.float32))


def test_constant_that_is_computed():
    model = model_of(
        '<ir_version: 8, opset_import: ["" : 15]> g (float[1, 2, 3] x) => (float[2, 3] y)'
        "<int64[1] zero = {0}, int64[1] one = {1}>"
        "{ s = Shape(x) d = Gather(s, zero) a = Sub(d, one) y = Squeeze(x, a) }"
    )
    done = converted(model, 11, X)
    assert operators(done) == ["Squeeze"]
    assert not done.graph.initializer


def test_node_whose_inputs_are_constants():
    model = model_of(
        '<ir_version: 8, opset_import: ["" : 17]> g (float[4] x) => (float[4] y)'
        "<int64 n = {4}> { w = HannWindow(n) y = Mul(x, w) }"
    )
    done = converted(model, 13, np.arange(4, dtype=np.float32))
    assert operators(done) == ["Identity", "Mul"]


def test_function_body_of_an_operator():
    model = model_of(
        '<ir_version: 13, opset_import: ["" : 28]> g (float[2, 3] a, float[2, 3] b) => '
        "(float[2, 3] y) { y = SwiGLU(a, b) }"
    )
    done = opmill.convert(model, 13)
    checker.check_model(done, full_check=True)
    assert "Sigmoid" in operators(done)
    assert {one.domain for one in done.opset_import} == {""}
    a, b = X[0], X[0] + 1
    (found,) = opmill.Model(done).run([a, b])
    np.testing.assert_allclose(found, a / (1 + np.exp(-a.astype(np.float64))) * b, rtol=1e-6)


def test_copies_become_a_gather():
    model = model_of(
        '<ir_version: 6, opset_import: ["" : 11]> g (float[1, 2, 3] x) => (float[1, 2, 2] y)'
        "<int64[1] starts = {2}, int64[1] ends = {-9}, int64[1] axes = {2}, int64[1] steps = {-2}>"
        "{ y = Slice(x, starts, ends, axes, steps) }"
    )
    assert operators(converted(model, 9, X)) == ["Gather"]


ATTENTION = (
    '<ir_version: 12, opset_import: ["" : 24]> g '
    "(%(type)s[1, 1, 2, 4] q, %(type)s[1, 1, 3, 4] k) => "
    "(%(type)s[1, 1, 2, 4] y) { y = Attention<softcap = %(cap)s>(q, k, k) }"
)


@pytest.mark.parametrize(("type_", "cap"), [("float16", "1e-8"), ("float", "-2.0")])
def test_softcap_that_is_none(type_: str, cap: str):
    random = np.random.default_rng(2)
    dtype = np.float16 if type_ == "float16" else np.float32
    q, k = (random.standard_normal((1, 1, n, 4)).astype(dtype) for n in (2, 3))
    weights = np.exp(q.astype(np.float64) @ k.swapaxes(2, 3).astype(np.float64) / 2)
    expected = weights / weights.sum(-1, keepdims=True) @ k.astype(np.float64)
    for opset in (13, 25):
        done = opmill.convert(model_of(ATTENTION % {"type": type_, "cap": cap}), opset)
        (found,) = opmill.Model(done).run([q, k])
        np.testing.assert_allclose(found, expected, 4e-3 if type_ == "float16" else 1e-5)


def test_a_body_that_an_older_onnx_lacks(monkeypatch: pytest.MonkeyPatch):
    def unknown(*_):
        raise onnx.defs.SchemaError("no schema")

    monkeypatch.setattr(onnx.defs, "get_schema", unknown)
    monkeypatch.setattr(onnx.defs, "onnx_opset_version", lambda: 21)
    model = model_of(ATTENTION % {"type": "float", "cap": "1.0"})
    with pytest.raises(opmill.ConversionError) as caught:
        opmill.convert(model, 13)
    wanted = f"the function body of Attention-23 is not in onnx {onnx.__version__}, whose newest"
    assert f"{wanted} opset is 21" in str(caught.value)


def test_scan_over_a_batch():
    model = model_of(
        '<ir_version: 4, opset_import: ["" : 8]> g (float[n, 2] s, float[n, t, 2] x) => '
        "(float[n, 2] a, float[n, t, 2] b) { a, b = Scan<num_scan_inputs = 1, directions = [1],"
        "body = e (float[2] p, float[2] q) => (float[2] r, float[2] u)"
        "{ r = Add(p, q) u = Identity(r) }>(, s, x) }"
    )
    x = np.arange(12, dtype=np.float32).reshape(2, 3, 2)
    done = opmill.convert(model, 21)
    checker.check_model(done, full_check=True)
    total, sums = opmill.Model(done).run([np.zeros((2, 2), np.float32), x])
    np.testing.assert_array_equal(total, x.sum(1))
    np.testing.assert_array_equal(sums, x[:, ::-1].cumsum(1))


@pytest.mark.parametrize("coordinates", ["half_pixel", "align_corners", "pytorch_half_pixel"])
def test_resize_before_opset_11(coordinates: str):
    model = model_of(
        '<ir_version: 8, opset_import: ["" : 13]> g (float[n, 1, 2, 3] x) => (float[n, 1, h, w] y)'
        '<float[4] scales = {1, 1, 2, 0.7}> { y = Resize<mode = "linear",'
        f'coordinate_transformation_mode = "{coordinates}">(x, , scales) }}'
    )
    x = np.random.default_rng(1).standard_normal((2, 1, 2, 3)).astype(np.float32)
    done = opmill.convert(model, 10)
    checker.check_model(done, full_check=True)
    assert operators(done) == ["MatMul", "MatMul"]
    (wanted,), (found,) = (opmill.Model(one).run([x]) for one in (model, done))
    np.testing.assert_allclose(found, wanted, 1e-5, 1e-6)


def test_spectra_of_a_signal_of_unknown_length():
    model = model_of(
        '<ir_version: 8, opset_import: ["" : 17]> g (float[n, t, 1] x) => (float[n, f, 5, 2] y)'
        "<int64 step = {3}, int64 n = {8}> { w = HannWindow(n) y = STFT(x, step, w) }"
    )
    x = np.random.default_rng(1).standard_normal((2, 20, 1)).astype(np.float32)
    window = np.hanning(9)[:8]
    frames = np.stack([x[:, at : at + 8, 0] * window for at in range(0, 13, 3)], 1)
    expected = np.fft.rfft(frames)
    for opset in (16, 7):
        done = opmill.convert(model, opset)
        checker.check_model(done, full_check=True)
        (found,) = opmill.Model(done).run([x])
        np.testing.assert_allclose(found[..., 0], expected.real, atol=1e-5)
        np.testing.assert_allclose(found[..., 1], expected.imag, atol=1e-5)


def test_window_of_a_size_that_is_computed():
    model = model_of(
        '<ir_version: 8, opset_import: ["" : 17]> g (int64 n) => (double[size] y)'
        "{ y = BlackmanWindow<output_datatype = 11, periodic = 0>(n) }"
    )
    done = opmill.convert(model, 11)
    checker.check_model(done, full_check=True)
    (found,) = opmill.Model(done).run([np.array(9)])
    np.testing.assert_allclose(found, np.blackman(9), atol=1e-15)


def test_call_that_is_not_valid():
    model = model_of(
        '<ir_version: 7, opset_import: ["" : 13]> g (float[2] x) => (float[2] y)'
        "{ y = Softmax<axis = 7>(x) }"
    )
    with pytest.raises(opmill.ConversionError, match="the call does not fit Softmax-13"):
        opmill.convert(model, 11)


def test_opset_that_does_not_exist():
    with pytest.raises(opmill.ModelError, match="opset is 99, expected 1 to"):
        opmill.convert(AXES, 99)


def run(*arguments: object):
    return CliRunner().invoke(main, ["convert", *map(str, arguments)])


def test_command_writes_the_model(tmp_path):
    source, target = tmp_path / "m.onnx", tmp_path / "o.onnx"
    onnx.save(AXES, source)
    done = run(source, "--opset", 11, "-o", target)
    assert (done.exit_code, done.output) == (0, "opset 13 to 11: 1 change\n")
    assert onnx.load(target) == opmill.convert(AXES, 11)


def test_command_without_a_way(tmp_path):
    source, target = tmp_path / "m.onnx", tmp_path / "o.onnx"
    onnx.save(model_of(
        '<ir_version: 10, opset_import: ["" : 20]> g (float[1, 1, 2, 2] x) => (y)'
        "{ y = ReduceMean(x) z = StringConcat(s, s) }"
    ), source)  # fmt: skip
    done = run(source, "--opset", 13, "-o", target, "--json")
    report = json.loads(done.stdout)
    assert done.exit_code == 1
    assert not target.exists()
    assert (report["ok"], report["reached"]) == (False, 20)
    assert report["refused"][0]["operator"] == "StringConcat"


def test_command_finds_the_lowest_opset(tmp_path):
    source = tmp_path / "m.onnx"
    onnx.save(AXES, source)
    done = run(source, "--lowest", "--dry-run")
    assert done.exit_code == 0
    assert "opset 13 to 1:" in done.output


def test_a_model_that_is_not_valid_is_refused_in_words():
    broken = parser.parse_model("""
    <ir_version: 8, opset_import: ["": 11]>
    g (float[2, 3] x) => (float[2, 3] y) { y = Resize(x) }""")
    with pytest.raises(opmill.ConversionError, match="Resize"):
        opmill.convert(broken, 9)


def test_external_data_are_copied_on_request(tmp_path):
    model = model_of(
        '<ir_version: 7, opset_import: ["" : 13]> g (float[1, 2, 3] x) => (float[1, 2, 3] y)'
        "<float[3] w = {1, 2, 3}> { y = Mul(x, w) }"
    )
    source, target = tmp_path / "m.onnx", tmp_path / "other" / "o.onnx"
    save_outside(model, source)
    target.parent.mkdir()
    done = run(source, "--opset", 12, "-o", target)
    assert done.exit_code == 2
    assert "has external data" in done.output
    assert "--copy-data" in done.output
    assert not list(target.parent.iterdir())
    assert run(source, "--opset", 12, "-o", target, "--copy-data").exit_code == 0
    (found,) = opmill.Model(target).run([X])
    np.testing.assert_array_equal(found, X * np.array([1, 2, 3], np.float32))
    done = run(source, "--opset", 12, "-o", target, "--copy-data")
    assert (done.exit_code, "exists; remove it" in done.output) == (2, True)
