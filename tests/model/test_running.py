"""``opmill.Model``: what it reads, and what it computes."""

from __future__ import annotations

import threading

import numpy as np
import onnxruntime as ort
import pytest
from onnx import TensorProto, helper, numpy_helper, parser, save

import opmill

X = np.arange(6, dtype=np.float32).reshape(2, 3) - 2.5


def model_of(text: str):
    return parser.parse_model(text)


TWO = model_of("""
<ir_version: 8, opset_import: ["": 13]>
g (float[2, 3] x, float[2, 3] unused) => (float[2, 3] y, float[2, 3] z) {
    a = Abs(x)
    y = Sqrt(a)
    b = Neg(x)
    z = Add(b, unused)
}""")


def agrees_with_onnxruntime(model, inputs):
    """Run a model, and compare with onnxruntime."""
    session = ort.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    expected = session.run(None, inputs)
    outputs = opmill.Model(model).run(inputs)
    for output, other in zip(outputs, expected, strict=True):
        assert (output.dtype, output.shape) == (other.dtype, other.shape)
        np.testing.assert_allclose(output, other, rtol=1e-6, atol=1e-7)
    return outputs


@pytest.mark.parametrize("form", ["path", "text", "bytes", "message"])
def test_every_form_of_a_model_is_read(form, tmp_path):
    path = tmp_path / "model.onnx"
    save(TWO, path)
    source = {
        "path": path,
        "text": str(path),
        "bytes": path.read_bytes(),
        "message": TWO,
    }[form]
    model = opmill.Model(source)
    assert model.input_names == ("x", "unused")
    assert model.output_names == ("y", "z")
    assert model.opsets == {"ai.onnx": 13}
    y, z = model.run({"x": X, "unused": X})
    np.testing.assert_array_equal(y, np.sqrt(np.abs(X)))
    np.testing.assert_array_equal(z, np.zeros_like(X))


@pytest.mark.parametrize("opset", [1, 5])
def test_each_domain_has_its_own_opset(opset):
    model = model_of(f"""
    <ir_version: 8, opset_import: ["": 13, "ai.onnx.ml": {opset}]>
    g (double[2, 3] x) => (float[2, 3] y) {{
        scaled = ai.onnx.ml.Scaler <offset = [1.0], scale = [2.0]> (x)
        binary = ai.onnx.ml.Binarizer <threshold = -1.5> (scaled)
        y = Add(scaled, binary)
    }}""")
    assert opmill.Model(model).opsets == {"ai.onnx": 13, "ai.onnx.ml": opset}
    x = X.astype(np.float64)
    (y,) = opmill.Model(model).run({"x": x})
    np.testing.assert_array_equal(y, (x - 1) * 2 + ((x - 1) * 2 > -1.5))
    model.opset_import[1].version = 6
    with pytest.warns(UserWarning, match=r"^opset 6 of ai\.onnx\.ml is newer than opset 5, "):
        opmill.Model(model)


def test_outputs_are_a_tuple_with_names():
    outputs = opmill.Model(TWO).run([X, X])
    assert isinstance(outputs, tuple)
    assert outputs["z"] is outputs[1]
    assert dict(outputs).keys() == {"y", "z"}
    with pytest.raises(KeyError):
        outputs["w"]


def test_chosen_outputs_are_computed_and_nothing_else():
    model = opmill.Model(TWO)
    with model.trace() as trace:
        outputs = model.run({"x": X}, outputs=["y"])  # without the input that y does not need
    assert outputs.keys() == ("y",)
    assert [node.operator for node in trace.nodes] == ["Abs-13", "Sqrt-13"]
    z, y = model.run([X, X], outputs=["z", "y"])
    np.testing.assert_array_equal(y, outputs["y"])
    np.testing.assert_array_equal(z, np.zeros_like(X))
    with pytest.raises(opmill.FeedError, match="no output 'w'; it has 'y', 'z'"):
        model.run([X, X], outputs=["w"])
    with pytest.raises(opmill.FeedError, match="input 'unused' is missing"):
        model.run({"x": X}, outputs=["z"])
    with pytest.raises(opmill.FeedError, match="input 'unused' is missing"):
        model.run({"x": X})


def test_a_trace_tells_nodes_kernels_shapes_and_bytes():
    model = opmill.Model(TWO)
    with model.trace() as trace:
        model.run([X, X])
    assert [node.node for node in trace.nodes] == ["node 0", "node 1", "node 2", "node 3"]
    add = trace.nodes[-1]
    assert (add.operator, add.domain) == ("Add-13", "ai.onnx")
    assert (add.inputs, add.outputs, add.bytes) == (((2, 3), (2, 3)), ((2, 3),), 72)
    assert add.kernel.split()[0] == opmill.backends()[0]
    assert 0 < sum(node.seconds for node in trace.nodes) <= trace.seconds * 1.000001
    with trace, opmill.use_backend("numpy"):
        model.run([X, X], outputs=["y"])
    assert trace.nodes[-1].kernel == "numpy"
    count = len(trace.nodes)
    model.run([X, X])
    with trace:
        opmill.Model(TWO).run([X, X])  # another model
    assert len(trace.nodes) == count


def test_constants_are_computed_once_and_by_every_backend_for_itself():
    text = """
    <ir_version: 8, opset_import: ["": 13]>
    g (float[3] x) => (float[3] y, float[3] c) <float[3] w = {0.5, 1.5, 2.5}> {
        a = Exp(w)
        c = Tanh(a)
        y = Mul(x, c)
    }"""
    x = np.ones(3, np.float32)
    model = opmill.Model(model_of(text))
    for backend in opmill.backends():
        with opmill.use_backend(backend):
            expected = opmill.operator("Tanh", 13)(
                [opmill.operator("Exp", 13)([np.array([0.5, 1.5, 2.5], np.float32)])[0]]
            )[0]
            with model.trace() as trace:
                y, c = model.run([x])
        assert [node.operator for node in trace.nodes] == ["Mul-13"]
        assert y.tobytes() == c.tobytes() == expected.tobytes()
        c[...] = 0  # the caller's own
        assert model.run([x])["c"].any()


def test_a_constant_that_others_are_computed_from_is_kept_for_the_nodes_that_read_it():
    """Exporters write one initializer and nodes of Identity for weights that are the same."""
    text = """
    <ir_version: 8, opset_import: ["": 13]>
    g (float[2] x) => (float[2] y) <float[2] w = {1, 2}> {
        same = Identity(w)
        a = Add(x, w)
        y = Mul(a, same)
    }"""
    model = opmill.Model(model_of(text))
    for _ in range(2):
        assert model.run([np.ones(2, np.float32)])[0].tolist() == [2, 6]


def test_a_default_that_is_given_is_no_constant():
    text = """
    <ir_version: 8, opset_import: ["": 13]>
    g (float[2] x, float[2] w) => (float[2] y) <float[2] w = {1, 2}> {
        n = Neg(w)
        y = Add(x, n)
    }"""
    model = opmill.Model(model_of(text))
    x = np.zeros(2, np.float32)
    assert model.input_names == ("x",)
    assert [declared.name for declared in model.defaults] == ["w"]
    for _ in range(2):
        assert model.run([x])[0].tolist() == [-1, -2]
        assert model.run({"x": x, "w": x + 5})[0].tolist() == [-5, -5]


def test_large_values_that_are_passed_on_are_not_copied():
    text = """
    <ir_version: 8, opset_import: ["": 13]>
    g (float[n, m] x) => (float[a, b] y, float[c] z, float[n, m] same) <int64[1] one = {0}> {
        a = Neg(x)
        b = Unsqueeze(a, one)
        c = Squeeze(b, one)
        d = Flatten <axis = 0> (c)
        y = Abs(d)
        z = Reshape(c, shape)
        same = Identity(x)
        shape = Constant <value_ints = [-1]> ()
    }""".replace("        shape = Constant <value_ints = [-1]> ()\n", "").replace(
        "a = Neg(x)", "shape = Constant <value_ints = [-1]> ()\n        a = Neg(x)"
    )
    x = np.ones((300, 1000), np.float32)
    model = opmill.Model(model_of(text))
    with model.trace() as trace:
        y, z, same = model.run([x])
    kernels = {node.operator.partition("-")[0]: node.kernel for node in trace.nodes}
    assert [kernels[name] for name in ("Unsqueeze", "Squeeze", "Flatten")] == ["view"] * 3
    assert kernels["Reshape"] != "view"  # an output is the caller's own
    assert kernels["Identity"] != "view"
    assert (y.shape, z.shape) == ((1, 300000), (300000,))
    assert (y == 1).all()
    assert (z == -1).all()
    assert z.base is None
    assert not np.may_share_memory(same, x)
    with pytest.raises(opmill.OpError, match=r"node 2 of ai\.onnx: Unsqueeze-13: "):
        opmill.Model(model_of(text.replace("int64[1] one = {0}", "int64[1] one = {7}"))).run([x])


def test_functions_of_the_model_run_with_their_attributes_and_defaults():
    text = """
    <ir_version: 9, opset_import: ["": 18, "own": 1]>
    g (float[2, 3] x) => (float[2, 3] y, float[2, 3] z) {
        y = own.Twice <alpha = 0.5> (x)
        z = own.Twice (x)
    }
    <opset_import: ["": 18, "own": 1], domain: "own">
    Twice <alpha: float = 0.25> (a) => (c) {
        b = own.Leaky <slope: float = @alpha> (a)
        c = Add(b, b)
    }
    <opset_import: ["": 16], domain: "own">
    Leaky <slope> (a) => (b) { b = LeakyRelu <alpha: float = @slope> (a) }
    """
    y, z = opmill.Model(model_of(text)).run([X])
    np.testing.assert_allclose(y, 2 * np.where(X < 0, 0.5 * X, X))
    np.testing.assert_allclose(z, 2 * np.where(X < 0, 0.25 * X, X))


def test_threads_run_one_model_at_once():
    model = opmill.Model(TWO)
    wrong = []

    def work(number):
        x = np.full((2, 3), number, np.float32)
        for _ in range(100):
            y, z = model.run([x, x])
            if (z != 0).any() or (y != np.sqrt(x)).any():
                wrong.append(number)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


IF = """
<ir_version: 8, opset_import: ["": 16]>
g (bool c, float[2, 3] x) => (float[a, b] y) {
    t = Neg(x)
    y = If <
        then_branch = th () => (float[2, 3] r) { r = Add(t, x) },
        else_branch = el () => (float[2, 3] r2) { u = Abs(t)  r2 = Mul(u, x) }
    > (c)
}"""

LOOP = """
<ir_version: 8, opset_import: ["": 16]>
g (int64 n, bool go, float[2, 3] x) => (float[2, 3] y, float[k, 2, 3] all) {
    limit = Constant <value_float = 20.0> ()
    y, all = Loop <body = b (int64 i, bool c, float[2, 3] v)
            => (bool c2, float[2, 3] w, float[2, 3] s) {
        w = Add(v, x)
        s = Mul(w, v)
        total = ReduceSum <keepdims = 0> (w)
        size = Abs(total)
        c2 = Less(size, limit)
    }> (n, go, x)
}"""

SCAN = """
<ir_version: 8, opset_import: ["": 16]>
g (float[2] start, float[3, 2] xs) => (float[2] last, float[2, 3] sums) {
    last, sums = Scan <num_scan_inputs = 1, scan_input_directions = [1], scan_output_axes = [-1],
        scan_output_directions = [1],
        body = b (float[2] s, float[2] x) => (float[2] t, float[2] o) {
            t = Add(s, x)
            o = Neg(t)
        }> (start, xs)
}"""


@pytest.mark.parametrize("condition", [True, False])
def test_if(condition):
    agrees_with_onnxruntime(model_of(IF), {"c": np.array(condition), "x": X})


@pytest.mark.parametrize("trips", [0, 1, 2, 9])
@pytest.mark.parametrize("go", [True, False])
def test_loop(trips, go):
    inputs = {"n": np.array(trips), "go": np.array(go), "x": X}
    y, _ = agrees_with_onnxruntime(model_of(LOOP), inputs)
    assert not np.may_share_memory(y, X)


def test_scan():
    xs = np.arange(6, dtype=np.float32).reshape(3, 2)
    last, sums = opmill.Model(model_of(SCAN)).run([np.ones(2, np.float32), xs])
    partial = 1 + np.cumsum(xs[::-1], axis=0)
    np.testing.assert_array_equal(last, partial[-1])
    np.testing.assert_array_equal(sums, -partial[::-1].T)


def test_scan_8_scans_each_sequence_of_a_batch():
    body = helper.make_graph(
        [helper.make_node("Add", ["s", "x"], ["t"]), helper.make_node("Neg", ["t"], ["o"])],
        "body",
        [helper.make_tensor_value_info(n, TensorProto.FLOAT, [2]) for n in ("s", "x")],
        [helper.make_tensor_value_info(n, TensorProto.FLOAT, [2]) for n in ("t", "o")],
    )
    node = helper.make_node(
        "Scan", ["lengths", "start", "xs"], ["last", "sums"], body=body, num_scan_inputs=1
    )
    value = helper.make_tensor_value_info
    graph = helper.make_graph(
        [node],
        "g",
        [
            value("lengths", TensorProto.INT64, [2]),
            value("start", TensorProto.FLOAT, [2, 2]),
            value("xs", TensorProto.FLOAT, [2, 3, 2]),
        ],
        [value("last", TensorProto.FLOAT, [2, 2]), value("sums", TensorProto.FLOAT, [2, 3, 2])],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 8)], ir_version=3)
    xs = np.arange(12, dtype=np.float32).reshape(2, 3, 2)
    start = np.array([[1, 1], [2, 2]], np.float32)
    last, sums = opmill.Model(model).run([np.array([3, 2]), start, xs])
    for batch, count in enumerate([3, 2]):
        partial = start[batch] + np.cumsum(xs[batch, :count], axis=0)
        np.testing.assert_array_equal(last[batch], partial[-1])
        np.testing.assert_array_equal(sums[batch, :count], -partial)


def test_an_error_inside_of_a_graph_names_the_way_to_its_node():
    model = opmill.Model(model_of(LOOP.replace("s = Mul(w, v)", "s = MatMul(w, v)")))
    words = r"^node 1 in body of node 1 of ai\.onnx: MatMul-13: "
    with pytest.raises(opmill.OpError, match=words):
        model.run([np.array(1), np.array(True), X])


def test_a_trace_shows_the_nodes_of_a_loop_below_it():
    model = opmill.Model(model_of(LOOP))
    with model.trace() as trace:
        model.run([np.array(2), np.array(True), X])
    assert [(node.operator, node.depth) for node in trace.nodes][:3] == [
        ("Loop-16", 0),
        ("Add-14", 1),
        ("Mul-14", 1),
    ]
    assert trace.nodes[0].seconds == trace.seconds


def test_tensors_outside_of_the_model_are_read(tmp_path):
    weights = np.arange(1000, dtype=np.float32)
    tensor = numpy_helper.from_array(weights, "w")
    model = model_of(
        """
    <ir_version: 8, opset_import: ["": 13]>
    g (float[1000] x) => (float[1000] y) { y = Add(x, w) }""".replace("Add(x, w)", "Add(x, x)")
    )
    model.graph.node[0].input[1] = "w"
    model.graph.initializer.append(tensor)
    save(
        model, tmp_path / "m.onnx", save_as_external_data=True, location="m.data", size_threshold=0
    )
    assert (tmp_path / "m.data").stat().st_size >= 4000
    x = np.ones(1000, np.float32)
    (y,) = opmill.Model(tmp_path / "m.onnx").run([x])
    np.testing.assert_array_equal(y, weights + 1)
    (y,) = opmill.Model((tmp_path / "m.onnx").read_bytes(), folder=tmp_path).run([x])
    np.testing.assert_array_equal(y, weights + 1)
