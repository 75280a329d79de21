"""Models that are read although they are unusual: unsorted, newer, sparse, of foreign types."""

from __future__ import annotations

import json
import warnings

import numpy as np
import pytest
from click.testing import CliRunner
from onnx import TensorProto, TypeProto, helper, numpy_helper, parser, save

import opmill
from opmill_gen.cli.main import main

X = np.arange(6, dtype=np.float32)


def model_of(nodes, *, inputs="float[6] x", outputs="float[n] y", opset=17, functions=""):
    return parser.parse_model(
        f'<ir_version: 9, opset_import: ["": {opset}, "own": 1]> '
        f"g ({inputs}) => ({outputs}) {{ {nodes} }} {functions}"
    )


def inspected(model, tmp_path, *, code=0):
    save(model, tmp_path / "m.onnx")
    done = CliRunner().invoke(main, ["inspect", str(tmp_path / "m.onnx"), "--json"])
    assert done.exit_code == code, done.output
    return json.loads(done.stdout)


# Dims


@pytest.mark.parametrize("dim", [-1, -7, "?", "2 * n", "n + 1", "", "1st", "a.b", "\u00e9"])
def test_a_dim_that_is_negative_or_no_identifier_is_unknown(dim):
    dims = [dim, dim]
    type_ = helper.make_tensor_type_proto(TensorProto.FLOAT, dims)
    for wrapped in (type_, helper.make_optional_type_proto(type_)):
        graph = helper.make_graph(
            [helper.make_node("Identity", ["x"], ["y"])],
            "g",
            [helper.make_value_info("x", wrapped)],
            [helper.make_value_info("y", wrapped)],
        )
        model = opmill.Model(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)]))
        assert model.run([X.reshape(2, 3)])[0].shape == (2, 3)


def test_a_dim_that_is_an_identifier_has_one_size():
    model = opmill.Model(model_of("y = Relu(x)", inputs="float[n, n] x", outputs="float[n, n] y"))
    with pytest.raises(opmill.FeedError, match=r"expected 2 \('n'\) at axis 1"):
        model.run([X.reshape(2, 3)])


def test_a_loop_whose_body_declares_negative_dims():
    body = helper.make_graph(
        [helper.make_node("Identity", ["c"], ["d"]), helper.make_node("Add", ["v", "v"], ["w"])],
        "body",
        [
            helper.make_tensor_value_info("i", TensorProto.INT64, []),
            helper.make_tensor_value_info("c", TensorProto.BOOL, []),
            helper.make_tensor_value_info("v", TensorProto.FLOAT, [-1]),
        ],
        [
            helper.make_tensor_value_info("d", TensorProto.BOOL, []),
            helper.make_tensor_value_info("w", TensorProto.FLOAT, [-1]),
        ],
    )
    graph = helper.make_graph(
        [helper.make_node("Loop", ["n", "", "x"], ["y"], body=body)],
        "g",
        [
            helper.make_tensor_value_info("n", TensorProto.INT64, []),
            helper.make_tensor_value_info("x", TensorProto.FLOAT, [-1]),
        ],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [-1])],
    )
    model = opmill.Model(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)]))
    assert model.run([np.array(2), X])[0].tolist() == [0, 4, 8, 12, 16, 20]


# The order of nodes


def reverse(nodes):
    found = list(nodes)[::-1]
    del nodes[:]
    nodes.extend(found)


def test_unsorted_nodes_run_and_are_reported(tmp_path):
    model = model_of("a = Neg(x) b = Abs(a) c = Add(a, b) y = Mul(c, b)")
    assert inspected(model, tmp_path)["notes"] == []
    expected = opmill.Model(model).run([X])[0]
    model.graph.node[3].name = "last"
    reverse(model.graph.node)
    loaded = opmill.Model(model)
    assert loaded.run([X])[0].tolist() == expected.tolist()
    with loaded.trace() as trace:
        loaded.run([X])
    assert [node.node for node in trace.nodes] == ["node 3", "node 2", "node 1", "node 0 'last'"]
    (note,) = inspected(model, tmp_path)["notes"]
    assert note == ("node 0 'last' reads 'c' of node 1, expected nodes in the order of computation")
    done = CliRunner().invoke(main, ["inspect", str(tmp_path / "m.onnx")])
    assert f"note: {note}" in done.stdout.splitlines()


def test_sorted_nodes_remain_in_their_order():
    model = opmill.Model(model_of("a = Neg(x) b = Abs(x) c = Add(b, a) y = Mul(c, b)"))
    with model.trace() as trace:
        model.run([X])
    assert [node.node for node in trace.nodes] == [f"node {k}" for k in range(4)]


def test_unsorted_nodes_of_functions_and_graphs_run(tmp_path):
    """A branch reads what a later node of the graph around it computes."""
    function = """
    <opset_import: ["": 17], domain: "own"> F (v) => (w) { t = Neg(v) w = Abs(t) }"""
    model = model_of(
        """
        z = own.F(x)
        y = If <
            then_branch = t () => (float[n] r) { q = Neg(z) r = Add(q, q) },
            else_branch = e () => (float[n] s) { s = Neg(x) }
        > (c)""",
        inputs="float[6] x, bool c",
        functions=function,
    )
    reverse(model.functions[0].node)
    reverse(model.graph.node[1].attribute[0].g.node)
    (note,) = inspected(model, tmp_path)["notes"]
    assert note.startswith("node 0 in function 'F' of node 0 reads 't' of node 1, expected")
    reverse(model.graph.node)
    loaded = opmill.Model(model)
    assert loaded.run([X, np.array(True)])[0].tolist() == (-2 * X).tolist()
    assert loaded.run([X, np.array(False)])[0].tolist() == (-X).tolist()


def test_a_long_chain_of_unsorted_nodes_is_read():
    count = 20_000
    nodes = [helper.make_node("Neg", [f"v{k}"], [f"v{k + 1}"]) for k in range(count)]
    graph = helper.make_graph(
        nodes[::-1],
        "g",
        [helper.make_tensor_value_info("v0", TensorProto.FLOAT, [6])],
        [helper.make_tensor_value_info(f"v{count}", TensorProto.FLOAT, [6])],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)])
    assert opmill.Model(model).run([X])[0].tolist() == X.tolist()


@pytest.mark.parametrize(
    ("nodes", "words"),
    [
        ("y = Add(x, y)", "node 0 reads 'y', which"),
        ("a = Neg(b) b = Neg(a) y = Neg(b)", "node 1 reads 'a', which"),
        (
            "y = Neg(b) b = If <then_branch = t () => (float[n] r) { r = Neg(y) }, "
            "else_branch = e () => (float[n] s) { s = Neg(x) }> (c)",
            "node 1 reads 'y', which",
        ),
        (
            "y = If <then_branch = t () => (float[n] r) { q = Neg(r) r = Neg(q) }, "
            "else_branch = e () => (float[n] s) { s = Neg(x) }> (c)",
            "node 1 in then_branch of node 0 reads 'q', which",
        ),
    ],
)
def test_cycles_are_refused(nodes, words):
    with pytest.raises(opmill.ModelError) as caught:
        opmill.Model(model_of(nodes, inputs="float[6] x, bool c"))
    assert str(caught.value) == (
        f"{words} is computed from the node's own outputs, expected nodes without cycles"
    )


# Opsets and operators


@pytest.mark.parametrize("opset", [18, 20])
def test_an_operator_that_was_deprecated_after_its_publication_runs(opset):
    model = model_of(
        "y = GroupNormalization <num_groups = 1> (x, s, b)",
        inputs="float[1, 2, 2] x, float[1] s, float[1] b",
        outputs="float[1, 2, 2] y",
        opset=opset,
    )
    x = np.array([[[1, 1], [3, 3]]], np.float32)
    (y,) = opmill.Model(model).run([x, np.ones(1, np.float32), np.ones(1, np.float32)])
    np.testing.assert_allclose(y.ravel(), [0, 0, 2, 2], atol=1e-4)


def test_an_opset_to_come_has_the_newest_versions_and_warns_once(tmp_path):
    model = model_of("a = Neg(x) b = Abs(a) y = own.F(b)", opset=31, functions="""
    <opset_import: ["": 31], domain: "own"> F (v) => (w) { w = Relu(v) }""")  # fmt: skip
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        loaded = opmill.Model(model)
    words = (
        "opset 31 of ai.onnx is newer than opset 29, the newest that this opmill knows; operators "
        "are computed as opset 29 has them"
    )
    assert [str(one.message) for one in caught] == [words]
    assert caught[0].filename == __file__
    assert loaded.run([X])[0].tolist() == X.tolist()
    assert loaded.opsets["ai.onnx"] == 31
    assert inspected(model, tmp_path)["notes"] == [words]


@pytest.mark.filterwarnings("ignore:opset 31 of ai.onnx is newer")
def test_an_opset_to_come_may_have_operators_that_are_unknown(tmp_path):
    model = model_of("y = Relu(x) z = Tomorrow(x)", outputs="float[n] y, float[n] z", opset=31)
    words = "node 1: ai.onnx has no operator 'Tomorrow' in opset 29, the newest that this opmill"
    with pytest.raises(opmill.ModelError, match=words):
        opmill.Model(model)
    assert opmill.Model(model, outputs=["y"]).run([X])[0].tolist() == X.tolist()
    document = inspected(model, tmp_path, code=1)
    assert {use["operator"]: use["computed_by"] != [] for use in document["operators"]} == {
        "Relu": True,
        "Tomorrow": False,
    }


@pytest.mark.parametrize(
    ("node", "expected"),
    [
        ("y = Affine <alpha = 2.0, beta = 1.0> (x)", lambda x: 2 * x + 1),
        ("y = ImageScaler <scale = 2.0, bias = [1.0]> (x)", lambda x: 2 * x + 1),
        ("y = Crop <border = [1, 1, 1, 1]> (x)", lambda x: x[:, :, 1:-1, 1:-1]),
        ("y = ScaledTanh <alpha = 2.0, beta = 0.5> (x)", lambda x: 2 * np.tanh(0.5 * x)),
        (
            "y = ParametricSoftplus <alpha = 2.0, beta = 0.5> (x)",
            lambda x: 2 * np.log1p(np.exp(0.5 * x)),
        ),
    ],
)
def test_a_fallback_computes_operators_that_onnx_has_no_more(node, expected):
    model = model_of(
        f"{node.replace('(x)', '(t)')} t = Neg(x)", inputs="float[1, 1, 3, 4] x", opset=7,
        outputs="float[a, b, c, d] y",
    )  # fmt: skip
    with pytest.raises(opmill.ModelError, match=r"^node 0: ai\.onnx has no operator '"):
        opmill.Model(model)
    loaded = opmill.Model(model, fallback="onnxruntime")
    x = np.linspace(-2, 2, 12, dtype=np.float32).reshape(1, 1, 3, 4)
    np.testing.assert_allclose(loaded.run([x])[0], expected(-x), rtol=1e-5, atol=1e-6)


# Sparse initializers


def sparse_model(indices, *, values=(5, 7), dims=(2, 3), inputs="float[2, 3] x"):
    model = model_of("y = Add(x, w)", inputs=inputs, outputs="float[2, 3] y")
    parts = (
        numpy_helper.from_array(np.array(values, np.float32), "w"),
        numpy_helper.from_array(np.array(indices, np.int64)),
    )
    model.graph.sparse_initializer.append(helper.make_sparse_tensor(*parts, dims))
    return model


@pytest.mark.parametrize("indices", [[1, 5], [[0, 1], [1, 2]]])
def test_sparse_initializers(indices, tmp_path):
    model = sparse_model(indices)
    zeros = np.zeros((2, 3), np.float32)
    assert opmill.Model(model).run([zeros])[0].tolist() == [[0, 5, 0], [0, 0, 7]]
    assert inspected(model, tmp_path)["parameters"] == 6


def test_a_sparse_initializer_of_zeros_and_one_of_an_input():
    zeros = np.zeros((2, 3), np.float32)
    model = sparse_model([], values=())
    assert opmill.Model(model).run([zeros + 1])[0].tolist() == [[1] * 3] * 2
    model = opmill.Model(sparse_model([1, 5], inputs="float[2, 3] x, float[2, 3] w"))
    assert [one.name for one in model.defaults] == ["w"]
    assert model.run([zeros])[0].tolist() == [[0, 5, 0], [0, 0, 7]]
    assert model.run([zeros, zeros + 1])[0].tolist() == [[1] * 3] * 2


def test_a_sparse_initializer_is_no_second_one():
    model = sparse_model([1, 5])
    model.graph.initializer.append(numpy_helper.from_array(np.zeros((2, 3), np.float32), "w"))
    with pytest.raises(opmill.ModelError, match=r"^initializer 'w' is given twice$"):
        opmill.Model(model)


@pytest.mark.parametrize(
    ("dims", "expected"),
    [
        ((1 << 40, 1 << 40), "at most 2^63-1 bytes"),
        ((1 << 29, 1 << 30), "a tensor that fits into memory"),
    ],
)
@pytest.mark.parametrize("kind", ["initializer", "constant"])
def test_a_sparse_tensor_that_no_memory_holds(kind, dims, expected):
    what, model = "initializer 'w'", sparse_model([1, 5], dims=dims)
    if kind == "constant":
        what, sparse = "node 0: attribute 'sparse_value'", model.graph.sparse_initializer.pop()
        model.graph.node.insert(0, helper.make_node("Constant", [], ["w"], sparse_value=sparse))
    with pytest.raises(opmill.ModelError) as caught:
        opmill.Model(model)
    assert str(caught.value) == f"{what} has shape {list(dims)}, expected {expected}"


# Foreign operators and types

ZIP_MAP = TypeProto.Map(
    key_type=TensorProto.INT64,
    value_type=helper.make_tensor_type_proto(TensorProto.FLOAT, None),
)


def foreign():
    """A label, maps of probabilities, and an output of a foreign operator."""
    model = parser.parse_model("""
    <ir_version: 8, opset_import: ["": 13, "ai.onnx.ml": 2, "com.microsoft": 1]>
    g (float[n, 3] x) => (int64[n] label, float[n] probabilities, float[n, 1, 3] windows) {
        p = Softmax(x)
        label = ArgMax <axis = 1, keepdims = 0> (p)
        probabilities = ai.onnx.ml.ZipMap <classlabels_int64s = [4, 5, 6]> (p)
        windows = com.microsoft.UnfoldTensor <dim = 1, size = 3> (x)
    }""")
    type_ = helper.make_sequence_type_proto(TypeProto(map_type=ZIP_MAP))
    model.graph.output[1].type.CopyFrom(type_)
    return model


ROWS = np.array([[0, 0, 900], [900, 0, 0]], np.float32)


def test_a_foreign_output_blocks_no_other_one(tmp_path):
    words = r"^node 3 needs UnfoldTensor-1 of com\.microsoft \(opset 1\): not supported yet"
    with pytest.raises(opmill.UnsupportedOperatorError, match=words):
        opmill.Model(foreign())
    model = opmill.Model(foreign(), outputs=["label"])
    assert model.output_names == ("label",)
    assert model.run([ROWS])["label"].tolist() == [2, 0]
    model = opmill.Model(foreign(), fallback="onnxruntime")
    assert model.run([ROWS], outputs=["label"])[0].tolist() == [2, 0]
    with pytest.raises(opmill.FeedError, match="no output 'y'; it has 'label', 'probab"):
        opmill.Model(foreign(), outputs=["y"])
    save(foreign(), tmp_path / "m.onnx")
    done = CliRunner().invoke(main, ["run", str(tmp_path / "m.onnx"), "--only", "label"])
    assert done.exit_code == 0, done.output


def test_a_fallback_gives_foreign_outputs_beside_maps():
    label, probabilities, windows = opmill.Model(foreign(), fallback="onnxruntime").run([ROWS])
    assert label.tolist() == [2, 0]
    np.testing.assert_array_equal(windows, ROWS[:, np.newaxis])
    assert probabilities == [{4: 0, 5: 0, 6: 1}, {4: 1, 5: 0, 6: 0}]


def test_all_is_listed_of_a_model_with_foreign_operators_and_types(tmp_path):
    document = inspected(foreign(), tmp_path, code=1)
    assert [value["type"] for value in document["outputs"]] == [
        "tensor(int64)[n]",
        "seq(map(int64, tensor(float)))",
        "tensor(float)[n, 1, 3]",
    ]
    found = {use["operator"]: use["computed_by"] for use in document["operators"]}
    assert found.keys() == {"Softmax", "ArgMax", "ZipMap", "UnfoldTensor"}
    assert found["UnfoldTensor"] == []
    unknown = model_of("a = Affine(x) b = Upsample(a) c = Expand(b, b) y = Neg(c)", opset=7)
    unknown.graph.node[1].op_type = "Tiel"
    document = inspected(unknown, tmp_path, code=1)
    assert [use["operator"] for use in document["operators"] if not use["computed_by"]] == [
        "Affine",
        "Expand",
        "Tiel",
    ]
