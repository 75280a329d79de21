"""``max_bytes`` and ``max_nodes``: what a model from an unknown source may take."""

from __future__ import annotations

import time
import tracemalloc

import numpy as np
import pytest
from onnx import TensorProto, helper, numpy_helper, parser

import opmill

X = np.arange(1024, dtype=np.float32)
KIB = 4096
"""The bytes of ``X``."""


def model_of(nodes, more="", outputs="float[n] y", **limits):
    text = f"""
    <ir_version: 9, opset_import: ["": 18]>
    g (float[1024] x) => ({outputs}) <int64[1] many = {{1000000}}, int64[1] two = {{2}},
      int64 trips = {{8}}, bool yes = {{1}}{more}> {{ {nodes} }}"""
    return opmill.Model(parser.parse_model(text), **limits)


BOMBS = {
    "one node": "y = Tile(x, many)",
    "a shape that data determine": "b = Tile(x, two) z = Tile(b, two) i = NonZero(z) "
    "y = Cast<to=1>(i)",
    "many values at a time": "a = Neg(x) b = Neg(a) c = Neg(b) y = Sum(a, b, c, x)",
    "a loop that collects": "z = Loop <body = b (int64 i, bool c) => (bool c, float[1024] u) "
    "{ u = Neg(x) }> (trips, yes) y = ReduceSum(z)",
    "a loop that collects what it reads": "z = Loop <body = b (int64 i, bool c) => "
    "(bool c, float[1024] x) { }> (trips, yes) y = ReduceSum(z)",
    "a sequence": "n = Neg(x) s = SequenceConstruct(n, n) a = Abs(n) t = SequenceInsert(s, a) "
    "b = Abs(a) q = SequenceInsert(t, b) y = ConcatFromSequence <axis = 0> (q)",
    "a branch": "y = If <then_branch = t () => (float[n] r) { r = Tile(x, many) }, "
    "else_branch = e () => (float[n] q) { q = Neg(x) }> (yes)",
    "parts of a split": "b = Tile(x, two) c = Tile(b, two) s = SplitToSequence(c) "
    "y = ConcatFromSequence <axis = 0> (s)",
}


@pytest.mark.parametrize("backend", opmill.backends())
@pytest.mark.parametrize("bomb", BOMBS)
def test_a_run_that_takes_too_much_memory_is_refused(bomb, backend):
    model = model_of(BOMBS[bomb], max_bytes=3 * KIB - 1)
    words = r"^node \d.* does not fit into memory: .* expected at most 12287 \(max_bytes\)$"
    with opmill.use_backend(backend):
        tracemalloc.start()
        try:
            with pytest.raises(opmill.ModelError, match=words):
                model.run([X])
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
    assert peak < 2_000_000  # a thousandth of what the largest asks for


@pytest.mark.parametrize("backend", opmill.backends())
def test_memory_that_is_free_again_does_not_count(backend):
    nodes = " ".join(f"v{k + 1} = Neg(v{k})" for k in range(50))
    with opmill.use_backend(backend):
        model = model_of(f"v0 = Neg(x) {nodes} y = Abs(v50)", max_bytes=2 * KIB)
        np.testing.assert_array_equal(model.run([X])["y"], X)
        model = model_of(
            "y = Loop <body = b (int64 i, bool c, float[1024] v) => (bool c, float[1024] u) "
            "{ u = Neg(v) }> (trips, yes, x)",
            max_bytes=4 * KIB,
        )
        np.testing.assert_array_equal(model.run([X])["y"], X)


def test_views_count_once_and_as_long_as_they_are_used():
    big = np.ones((1 << 18,), np.float32)
    text = """
    <ir_version: 8, opset_import: ["": 13]>
    g (float[n] x, int64[2] s, int64[1] f) => (float[m] y) {
        a = Neg(x)  b = Reshape(a, s)  c = Flatten(b)  d = Reshape(c, f)  y = Neg(d)
    }"""
    given = [big, np.array([512, 512]), np.array([-1])]
    exact = 2 * big.nbytes
    model = opmill.Model(parser.parse_model(text), max_bytes=exact)
    np.testing.assert_array_equal(model.run(given)["y"], big)
    with pytest.raises(opmill.ModelError, match="node 4: Neg-13 does not fit into memory"):
        opmill.Model(parser.parse_model(text), max_bytes=exact - 1).run(given)


def test_a_bounded_run_computes_the_bits_of_a_free_one_and_can_be_traced():
    nodes = "a = MatMul(x, w) b = Add(a, x) y = Relu(b)"
    weights = ", float[1024, 1024] w"
    rng = np.random.default_rng(1)
    w = numpy_helper.from_array(rng.normal(size=(1024, 1024)).astype(np.float32), "w")
    text = f"""
    <ir_version: 9, opset_import: ["": 18]>
    g (float[1024] x{weights}) => (float[n] y) {{ {nodes} }}"""
    proto = parser.parse_model(text)
    proto.graph.initializer.append(w)
    free, bounded = opmill.Model(proto), opmill.Model(proto, max_bytes=3 * KIB)
    with bounded.trace() as trace:
        found = bounded.run([X])["y"]
    np.testing.assert_array_equal(found, free.run([X])["y"])
    assert [node.operator for node in trace.nodes] == ["MatMul-13", "Add-14", "Relu-14"]


def test_strings_count():
    nodes = " ".join(f"v{k + 1} = StringConcat(v{k}, v{k})" for k in range(40))
    text = f"""
    <ir_version: 9, opset_import: ["": 20]>
    g (string[1] v0) => (string[1] v40) {{ {nodes} }}"""
    model = opmill.Model(parser.parse_model(text), max_bytes=100_000)
    with pytest.raises(opmill.ModelError, match=r"StringConcat-20 does not fit into memory"):
        model.run([np.array(["abc"], object)])


def test_copies_of_inputs_that_a_model_returns_count():
    model = model_of("y = Identity(x)", outputs="float[n] y, float[1024] x", max_bytes=KIB)
    with pytest.raises(opmill.ModelError, match=r"^the outputs do not fit into memory: 4096 bytes"):
        model.run([X])


def test_constants_that_loading_computes_are_bounded():
    more = ", float[1024] w = {" + ", ".join("1" for _ in range(1024)) + "}"
    model = model_of("a = Tile(w, two) b = Tile(a, two) y = Add(b, b)", more, max_bytes=2 * KIB)
    with pytest.raises(opmill.ModelError, match=r"^node 1: Tile-13 does not fit into memory"):
        model.run([X])


def test_constants_of_functions_and_sparse_ones_are_bounded():
    value = numpy_helper.from_array(X)
    node = helper.make_node("Constant", [], ["b"], value=value)
    function = helper.make_function("own", "F", [], ["b"], [node], [helper.make_opsetid("", 18)])
    calls = [helper.make_node("F", [], [f"y{k}"], domain="own") for k in range(5)]
    output = helper.make_tensor_value_info("y4", TensorProto.FLOAT, None)
    graph = helper.make_graph(calls, "g", [], [output])
    imports = [helper.make_opsetid("", 18), helper.make_opsetid("own", 1)]
    model = helper.make_model(graph, opset_imports=imports, functions=[function], ir_version=9)
    words = r"node 4: constants of nodes have 20480 bytes, expected at most 20479 \(max_bytes\)"
    with pytest.raises(opmill.ModelError, match=words):
        opmill.Model(model, max_bytes=5 * KIB - 1)
    opmill.Model(model, max_bytes=5 * KIB)
    sparse = helper.make_sparse_tensor(
        numpy_helper.from_array(np.ones(1, np.float32)),
        numpy_helper.from_array(np.zeros(1, np.int64)),
        [1 << 40],
    )
    node = helper.make_node("Constant", [], ["y"], sparse_value=sparse)
    graph = helper.make_graph([node], "g", [], [helper.make_empty_tensor_value_info("y")])
    model = helper.make_model(graph, opset_imports=imports, ir_version=9)
    with pytest.raises(opmill.ModelError, match="have 4398046511104 bytes, expected at most 100 "):
        opmill.Model(model, max_bytes=100)


def test_nodes_are_bounded_with_those_of_functions_and_subgraphs():
    nodes = "b = Neg(x) y = If <then_branch = t () => (float[n] r) { r = Neg(x) }, "
    nodes += "else_branch = e () => (float[n] q) { q = Neg(x) }> (yes)"
    model_of(nodes, max_nodes=4)
    with pytest.raises(opmill.ModelError, match=r"more than 3 nodes, .*\(max_nodes\)"):
        model_of(nodes, max_nodes=3)
    functions = "".join(
        f"""
    <opset_import: ["": 18, "own": 1], domain: "own">
    F{k} (a) => (c) {{ b = own.F{k + 1} (a) c = own.F{k + 1} (b) }}"""
        for k in range(29)
    )
    text = f"""
    <ir_version: 9, opset_import: ["": 18, "own": 1]>
    g (float[4] x) => (float[4] y) {{ y = own.F0 (x) }}{functions}
    <opset_import: ["": 18], domain: "own">
    F29 (a) => (c) {{ c = Neg (a) }}
    """
    with pytest.raises(opmill.ModelError, match="more than 1000 nodes"):
        opmill.Model(parser.parse_model(text), max_nodes=1000)


@pytest.mark.parametrize("name", ["max_bytes", "max_nodes"])
def test_maxima_are_positive_integers(name):
    with pytest.raises(ValueError, match=f"^{name} is 0, expected at least 1$"):
        model_of("y = Neg(x)", **{name: 0})
    with pytest.raises(TypeError, match=f"^{name} has type str, expected an integer$"):
        model_of("y = Neg(x)", **{name: "2"})


def outputs(count):
    """A graph of that many outputs."""
    names = [f"y{k}" for k in range(count)]
    return [helper.make_node("Neg", ["x"], [name]) for name in names], names


def captured(count):
    """A graph whose branches read that many values from outside."""
    names = [f"v{k}" for k in range(count)]
    made = [helper.make_node("Neg", ["x"], [name]) for name in names]
    branches = [
        helper.make_graph(
            [helper.make_node("Sum", names, [f"r{k}"])],
            "b",
            [],
            [helper.make_empty_tensor_value_info(f"r{k}")],
        )
        for k in range(2)
    ]
    made.append(
        helper.make_node("If", ["c"], ["y"], then_branch=branches[0], else_branch=branches[1])
    )
    return made, ["y"]


@pytest.mark.parametrize("kind", [outputs, captured])
def test_loading_takes_time_in_proportion_to_the_size(kind):
    def seconds(count):
        nodes, names = kind(count)
        declared = [helper.make_empty_tensor_value_info(name) for name in names]
        given = [
            helper.make_tensor_value_info("x", TensorProto.FLOAT, [1]),
            helper.make_tensor_value_info("c", TensorProto.BOOL, []),
        ]
        graph = helper.make_graph(nodes, "g", given, declared)
        imports = [helper.make_opsetid("", 17)]
        data = helper.make_model(graph, opset_imports=imports).SerializeToString()
        began = time.process_time()
        opmill.Model(data)
        return time.process_time() - began

    seconds(100)
    assert seconds(20_000) < 25 * min(seconds(2_000) for _ in range(3))
