"""Nodes of the fallback onnxruntime: constants are initializers, neighbours run in one session.

Operators are hidden from the reader of models, so that no test depends on what is supported.
"""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest
from onnx import defs, helper, parser

import opmill
from opmill._onnx import builder, elsewhere

pytest.importorskip("onnxruntime")

X = np.linspace(-2, 2, 12, dtype=np.float32).reshape(3, 4)
W = np.arange(12, dtype=np.float32).reshape(4, 3)


@pytest.fixture(autouse=True)
def hidden(monkeypatch):
    """Hides MatMul, Sin, Cos and TopK from the reader of models."""
    resolve = builder.resolve

    def resolved(place, name, domain, opset):
        if name not in ("MatMul", "Sin", "Cos", "TopK"):
            return resolve(place, name, domain, opset)
        version = defs.get_schema(name, opset).since_version
        return opmill.Missing(place, name, domain, version, opset)

    monkeypatch.setattr(builder, "resolve", resolved)


@pytest.fixture
def opened(monkeypatch):
    """The graphs of the sessions that are opened."""
    graphs, open_session = [], elsewhere._session_of

    def session(model):
        graphs.append(model.graph)
        return open_session(model)

    monkeypatch.setattr(elsewhere, "_session_of", session)
    return graphs


def model_of(nodes, outputs="y", inputs="float[3, 4] x"):
    values = ", ".join(map(str, W.ravel()))
    return opmill.Model(
        parser.parse_model(
            f'<ir_version: 8, opset_import: ["": 13]> g ({inputs}) => ({outputs}) '
            f"<float[4, 3] w = {{{values}}}, int64[1] k = {{2}}> {{ {nodes} }}"
        ),
        fallback="onnxruntime",
    )


def operators(graph):
    return [node.op_type for node in graph.node]


def test_a_constant_is_an_initializer(opened):
    model = model_of("y = MatMul(x, w)")
    for _ in range(2):
        np.testing.assert_allclose(model.run([X])[0], X @ W, rtol=1e-6)
    (graph,) = opened
    assert (len(graph.input), [list(one.dims) for one in graph.initializer]) == (1, [[4, 3]])


def test_a_constant_that_nodes_compute_is_one_too(opened):
    model = model_of("n = Neg(w) y = MatMul(x, n)")
    np.testing.assert_allclose(model.run([X])[0], X @ -W, rtol=1e-6)
    for backend in opmill.backends():
        with opmill.use_backend(backend):
            np.testing.assert_allclose(model.run([X])[0], X @ -W, rtol=1e-6)
    assert all(len(graph.initializer) == 1 for graph in opened)


def test_a_default_that_is_given_is_an_input(opened):
    model = model_of("y = MatMul(x, w)", inputs="float[3, 4] x, float[4, 3] w")
    np.testing.assert_allclose(model.run([X])[0], X @ W, rtol=1e-6)
    for factor in (2, 3):
        given = {"x": X, "w": factor * W}
        np.testing.assert_allclose(model.run(given)[0], X @ (factor * W), rtol=1e-6)
    assert [len(graph.initializer) for graph in opened] == [1, 0]


def test_neighbours_are_joined_and_others_are_not(opened):
    model = model_of("a = Sin(x) b = Cos(a) c = Neg(b) d = Sin(c) e = Cos(x) y = Add(d, e)")
    expected = np.sin(-np.cos(np.sin(X))) + np.cos(X)
    np.testing.assert_allclose(model.run([X])[0], expected, rtol=1e-5)
    assert list(map(operators, opened)) == [["Sin", "Cos"], ["Sin", "Cos"]]
    assert [len(graph.output) for graph in opened] == [1, 2]


def test_only_what_others_read_leaves_a_session(opened):
    nodes = "a = Sin(x) b = Cos(a) values, places = TopK(b, k) c = Sin(values) y = Add(c, c)"
    model = model_of(nodes, "y, a")
    y, a = model.run([X])
    expected = np.sort(np.cos(np.sin(X)), axis=1)[:, :-3:-1]
    np.testing.assert_allclose(y, 2 * np.sin(expected), rtol=1e-5)
    np.testing.assert_allclose(a, np.sin(X), rtol=1e-5)
    (graph,) = opened
    assert (operators(graph), len(graph.output)) == (["Sin", "Cos", "TopK", "Sin"], 2)
    np.testing.assert_allclose(model.run([X], outputs=["a"])[0], np.sin(X), rtol=1e-5)
    assert operators(opened[-1]) == ["Sin"]


def test_nodes_of_subgraphs_are_joined_there(opened):
    model = model_of(
        """
    y = If <
        then_branch = t () => (float[n, m] r) { p = Sin(x) r = Cos(p) },
        else_branch = e () => (float[n, m] s) { q = Neg(x) s = Sin(q) }
    > (c)""",
        inputs="bool c, float[3, 4] x",
    )
    np.testing.assert_allclose(model.run([np.array(True), X])[0], np.cos(np.sin(X)), rtol=1e-5)
    np.testing.assert_allclose(model.run([np.array(False), X])[0], np.sin(-X), rtol=1e-5)
    assert list(map(operators, opened)) == [["Sin", "Cos"], ["Sin"]]


def test_a_trace_and_a_bounded_run_compute_node_by_node():
    nodes = "a = Sin(x) b = MatMul(a, w) y = Cos(b)"
    model = model_of(nodes)
    (whole,) = model.run([X])
    with model.trace() as trace:
        (traced,) = model.run([X])
    found = [(one.node, one.operator, one.kernel) for one in trace.nodes]
    assert found == [
        ("node 0", "Sin-7", "onnxruntime"),
        ("node 1", "MatMul-13", "onnxruntime"),
        ("node 2", "Cos-7", "onnxruntime"),
    ]
    assert traced.tobytes() == whole.tobytes()
    for other in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model)):
        assert other.run([X])[0].tobytes() == whole.tobytes()


def test_an_error_in_a_session_names_its_node():
    model = model_of(
        "a = Sin(x) b = MatMul(a, z) y = Cos(b)", inputs="float[3, 4] x, float[n, m] z"
    )
    with pytest.raises(opmill.ModelError, match=r"^node 1: onnxruntime says: "):
        model.run([X, W.T])
    np.testing.assert_allclose(model.run([X, W])[0], np.cos(np.sin(X) @ W), rtol=1e-4, atol=1e-5)


def test_attributes_that_are_refused_name_their_node():
    message = parser.parse_model(
        '<ir_version: 8, opset_import: ["": 13]> g (float[3, 4] x) => (y) { a = Sin(x) y = Cos(a) }'
    )
    message.graph.node[1].attribute.append(helper.make_attribute("no_such_attribute", 3))
    with pytest.raises(opmill.ModelError, match=r"^node 1: onnxruntime says: "):
        opmill.Model(message, fallback="onnxruntime").run([X])
