"""Outputs without a name are not used; the node has them nevertheless."""

from __future__ import annotations

import numpy as np
import pytest
from onnx import defs, helper, parser
from onnx.reference import ReferenceEvaluator

import opmill
from opmill._onnx import builder
from opmill.onnx_backend import OnnxBackend
from opmill.onnx_reference import operators

X = np.arange(6, dtype=np.float32)
BACKENDS = opmill.backends()


def model_of(nodes: str, *, inputs="float[6] x", outputs="float[n] y", opset=13, functions=""):
    """A model, in which outputs of the name ``unused`` have no name."""
    model = parser.parse_model(
        f'<ir_version: 9, opset_import: ["": {opset}, "own": 1]> '
        f"g ({inputs}) => ({outputs}) {{ {nodes} }} {functions}"
    )
    graphs = [model.graph, *model.functions]
    while graphs:
        for node in graphs.pop().node:
            node.output[:] = ["" if name.startswith("unused") else name for name in node.output]
            graphs += [attribute.g for attribute in node.attribute if attribute.HasField("g")]
    return model


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize(
    ("nodes", "expected"),
    [
        ("y, unused = Split <axis = 0> (x)", [0, 1, 2]),
        ("unused, y = Split <axis = 0> (x)", [3, 4, 5]),
        ("unused, y, unused2 = Split <axis = 0> (x)", [2, 3]),
        ("y, unused, unused2 = Split <axis = 0> (x)", [0, 1]),
        ("s = Constant <value_ints = [2, 4]> () y, unused = Split <axis = 0> (x, s)", [0, 1]),
        ("k = Constant <value_ints = [2]> () y, unused = TopK <axis = 0> (x, k)", [5, 4]),
        ("k = Constant <value_ints = [2]> () v, unused = TopK (x, k) y = Neg(v)", [-5, -4]),
    ],
)
def test_nodes_have_outputs_that_are_not_used(nodes, expected, backend):
    with opmill.use_backend(backend):
        model = opmill.Model(model_of(nodes))
        assert model.run([X])[0].tolist() == expected
        with model.trace():
            assert model.run([X])[0].tolist() == expected


@pytest.mark.parametrize("opset", [2, 11, 13, 18])
def test_split_with_sizes(opset):
    sizes = "split = [1, 2, 3]"
    nodes = f"y, z, unused = Split <axis = 0, {sizes}> (x)"
    if opset >= 13:
        nodes = f"s = Constant <value_ints = [1, 2, 3]> () {nodes.replace(f', {sizes}', '')}"
        nodes = nodes.replace("(x)", "(x, s)")
    model = model_of(nodes, outputs="float[n] y, float[m] z", opset=opset)
    y, z = opmill.Model(model).run([X])
    assert (y.tolist(), z.tolist()) == ([0], [1, 2])


def test_optional_outputs_without_a_name_are_absent():
    """The number of outputs says whether BatchNormalization-9 trains; so does the name of one."""
    model = model_of(
        "y, unused, unused2, unused3, unused4 = BatchNormalization (x, s, b, m, v)",
        inputs="float[1, 2, 1] x, float[2] s, float[2] b, float[2] m, float[2] v",
        outputs="float[1, 2, 1] y",
        opset=9,
    )
    ones = np.ones(2, np.float32)
    x = np.array([[[1], [3]]], np.float32)
    (y,) = opmill.Model(model).run([x, ones, ones, ones, ones * 4])
    np.testing.assert_allclose(y.ravel(), [1, 2], rtol=1e-5)


def test_all_outputs_but_the_optional_ones_of_a_recurrent_layer():
    model = model_of(
        "unused, y, unused2 = LSTM <hidden_size = 1> (x, w, r)",
        inputs="float[2, 1, 1] x, float[1, 4, 1] w, float[1, 4, 1] r",
        outputs="float[1, 1, 1] y",
        opset=14,
    )
    given = [np.ones(shape, np.float32) for shape in ((2, 1, 1), (1, 4, 1), (1, 4, 1))]
    (last,) = opmill.operator("LSTM", 14)(given, {"hidden_size": 1}, outputs=2)[1:]
    assert opmill.Model(model).run(given)[0].tobytes() == last.tobytes()


IF = """
y, unused = If <
    then_branch = t () => (float[n] a, float[n] b) { a, b = Split <axis = 0> (x) },
    else_branch = e () => (float[n] d, float[n] f) { d, unused3 = Split <axis = 0> (x) f = Neg(d) }
> (c)"""
LOOP = """
n = Constant <value = int64 {2}> ()
y, unused, unused2 = Loop <body = l (int64 i, bool go, float[6] v, float[6] u)
    => (bool same, float[6] w, float[6] o, float[6] s) {
        same = Identity(go) w = Add(v, v) o = Identity(u) s = Neg(v)
    }> (n, , x, x)"""
SCAN = """
z = Constant <value_ints = [0]> ()
start = Cast <to = 1> (z)
y, unused = Scan <num_scan_inputs = 1, body = s (float[1] v, float e) => (float[1] w, float[1] o) {
        w = Add(v, e) o = Neg(w)
    }> (start, x)"""
SEQUENCE_MAP = """
s = SplitToSequence(x)
m, unused = SequenceMap <body = b (float[1] v) => (float[1] w, float[1] o) {
        w = Neg(v) o = Abs(v)
    }> (s)
y = ConcatFromSequence <axis = 0> (m)"""


@pytest.mark.parametrize(
    ("nodes", "expected"),
    [
        (IF, [0, 1, 2]),
        (LOOP, [0, 4, 8, 12, 16, 20]),
        (SCAN, [15]),
        (SEQUENCE_MAP, [0, -1, -2, -3, -4, -5]),
    ],
)
def test_operators_that_run_graphs(nodes, expected):
    model = model_of(nodes, inputs="float[6] x, bool c", opset=17)
    for condition in (True, False):
        found = opmill.Model(model).run({"x": X, "c": np.array(condition)})[0]
        assert found.tolist() == expected
        found = OnnxBackend.run_model(model, {"x": X, "c": np.array(condition)})[0]
        assert found.tolist() == expected


def test_functions():
    function = """
    <opset_import: ["": 13], domain: "own">
    Thirds (a) => (b, c, d) { b, unused, d = Split <axis = 0> (a) c = Neg(b) }"""
    for nodes, expected in (
        ("y, unused, unused2 = own.Thirds(x)", [0, 1]),
        ("unused, y, unused2 = own.Thirds(x)", [0, -1]),
        ("unused, unused2, y = own.Thirds(x)", [4, 5]),
    ):
        assert opmill.Model(model_of(nodes, functions=function)).run([X])[0].tolist() == expected


@pytest.mark.parametrize("runtime", ["onnxruntime", "reference"])
def test_fallbacks(runtime, monkeypatch):
    resolve = builder.resolve

    def without_split(place, name, domain, opset):
        if name != "Split":
            return resolve(place, name, domain, opset)
        version = defs.get_schema(name, opset).since_version
        return opmill.Missing(place, name, domain, version, opset)

    monkeypatch.setattr(builder, "resolve", without_split)
    for nodes, expected in (
        ("y, unused = Split <axis = 0> (x)", [0, 1, 2]),
        ("unused, y, unused2 = Split <axis = 0> (x)", [2, 3]),
    ):
        loaded = opmill.Model(model_of(nodes), fallback=runtime)
        assert loaded.run([X])[0].tolist() == expected


def test_onnx_s_evaluator():
    """It stores outputs without a name under it, where it also looks for absent inputs."""
    nodes = "a, unused = Split <axis = 0> (x) y = Clip(a, , b)"
    model = model_of(nodes, inputs="float[6] x, float b")
    evaluator = ReferenceEvaluator(model, new_ops=operators())
    (y,) = evaluator.run(None, {"x": X, "b": np.array(1, np.float32)})
    assert y.tolist() == [0, 1, 1]


def test_a_single_node_has_a_result_for_each_output():
    node = helper.make_node("Split", ["x"], ["", "y", ""], axis=0)
    unused, y, last = OnnxBackend.run_node(node, [X], opset_version=13)
    assert (unused, y.tolist(), last) == (None, [2, 3], None)
    branches = {
        name: helper.make_graph(
            [helper.make_node("Constant", [], [value], value_floats=[number])
             for value, number in (("a", 1.0), ("b", 2.0))],
            name,
            [],
            [helper.make_empty_tensor_value_info("a"), helper.make_empty_tensor_value_info("b")],
        )
        for name in ("then_branch", "else_branch")
    }  # fmt: skip
    node = helper.make_node("If", ["c"], ["", "y"], **branches)
    unused, y = OnnxBackend.run_node(node, [np.array(True)], opset_version=13)
    assert (unused, y.tolist()) == (None, [2])
