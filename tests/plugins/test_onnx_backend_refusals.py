"""``opmill.onnx_backend``: the models and inputs that it refuses, and in which words."""

from __future__ import annotations

import pickle
import re

import numpy as np
import pytest
from onnx import AttributeProto, TensorProto, helper, numpy_helper

import opmill
from onnx_models import I64, TILE, F, N, X, Y, model_of, refused, value
from opmill.onnx_backend import FeedError, ModelError, OnnxBackend, UnsupportedOperatorError
from unsupported import unsupported

# Models that are refused


def test_lacking_operators_are_all_named_with_node_domain_and_version(monkeypatch):
    first, last = unsupported(monkeypatch, 2)
    nodes = [
        helper.make_node(first.operator, ["x"], ["a"], name="first"),
        helper.make_node("Tile", ["a", "n"], ["b"]),
        helper.make_node(last.operator, ["b"], ["y"]),
    ]
    error = refused(
        UnsupportedOperatorError,
        f"node 0 'first' needs {first.operator}-{first.at(13)} of ai.onnx (opset 13); node 2 needs "
        f"{last.operator}-{last.at(13)} of ai.onnx (opset 13): not supported yet; "
        "opmill.operators() lists what is, and opmill.Model with fallback='onnxruntime' computes "
        "the others by onnxruntime",
        model_of(nodes),
    )
    assert isinstance(error, ModelError)
    assert error.missing[1] == ("node 2", last.operator, "ai.onnx", last.at(13), 13)


def test_an_operator_of_an_unknown_domain_is_lacking():
    imports = [helper.make_opsetid("com.nowhere", 2)]
    refused(
        UnsupportedOperatorError,
        "node 0 'it' needs Tile-2 of com.nowhere (opset 2): not supported yet; "
        "opmill.operators() lists what is, and opmill.Model with fallback='onnxruntime' computes "
        "the others by onnxruntime",
        model_of([node(domain="com.nowhere")], imports=imports),
    )


def test_nodes_of_one_lacking_operator_are_counted(monkeypatch):
    (lacking,) = unsupported(monkeypatch, 1)
    nodes = [helper.make_node(lacking.operator, ["x"], [f"y{k}"]) for k in range(12)]
    with pytest.raises(
        UnsupportedOperatorError, match=r"^node 0 and 11 more nodes need .*: not supported"
    ):
        OnnxBackend.prepare(model_of(nodes, outputs=[value(f"y{k}") for k in range(12)]))


def node(operator="Tile", inputs=("x", "n"), outputs=("y",), domain="", **attributes):
    return helper.make_node(operator, inputs, outputs, name="it", domain=domain, **attributes)


ADVICE = (
    "; opmill.Model with fallback='onnxruntime' leaves such nodes to onnxruntime, which has "
    "operators that ONNX dropped"
)


@pytest.mark.parametrize(
    ("words", "model"),
    [
        ("opset 0 of ai.onnx is unknown; this opmill knows opsets 1 to 29", model_of(opset=0)),
        (
            "the model imports ai.onnx at opset 13 and at 12",
            model_of(imports=[helper.make_opsetid("ai.onnx", 12)]),
        ),
        (
            "node 0 'it' is of the domain com.example, which the model does not import",
            model_of([node(domain="com.example")]),
        ),
        (
            "node 0 'it': ai.onnx has no operator 'Tiel'; did you mean 'Tile'?" + ADVICE,
            model_of([node("Tiel")]),
        ),
        (
            "node 0 'it': Expand is not in opset 7 of ai.onnx; its first version is Expand-8"
            + ADVICE,
            model_of([node("Expand")], opset=7),
        ),
        (
            "node 0 'it': Upsample is deprecated since opset 10 of ai.onnx" + ADVICE,
            model_of([node("Upsample")]),
        ),
        (
            "node 0 'it' reads 'm', which is no input, no initializer, and made by no node",
            model_of([node(inputs=["x", "m"])]),
        ),
        (
            "node 0 'it' reads 'y', which is computed from the node's own outputs, expected nodes "
            "without cycles",
            model_of([node(inputs=["y", "n"])]),
        ),
        (
            "node 1 'it' reads 'y', which is computed from the node's own outputs, expected nodes "
            "without cycles",
            model_of([node(inputs=["b", "n"]), node(inputs=["y", "n"], outputs=["b"])]),
        ),
        (
            "node 1 'it': 'y' is there already; values have one origin",
            model_of([node(), node()]),
        ),
        (
            "node 0 'it': 'x' is there already; values have one origin",
            model_of([node(outputs=["x"])]),
        ),
        (
            "the graph's inputs: 'x' is there already; values have one origin",
            model_of(inputs=[value("x"), value("x")]),
        ),
        ("the graph's inputs: a value has no name", model_of(inputs=[value("")])),
        ("output 'z' is made by no node", model_of(outputs=[value("z")])),
        ("output '' is made by no node", model_of(outputs=[value("")])),
        (
            "initializer 'n' is given twice",
            model_of(initializers=[numpy_helper.from_array(N, "n")] * 2),
        ),
        (
            "input 'x' has an unknown element type, 77",
            model_of(inputs=[value("x", 77)]),
        ),
        (
            "node 0: a Constant must have one attribute of sparse_value, value, value_float, "
            "value_floats, value_int, value_ints, value_string, value_strings",
            model_of([helper.make_node("Constant", [], ["c"])]),
        ),
        (
            "node 0: a Constant must have no input and one output",
            model_of([helper.make_node("Constant", ["x"], ["c"], value_int=1)]),
        ),
        (
            "node 0: attribute 'value_int' must be INT",
            model_of([helper.make_node("Constant", [], ["c"], value_int=1.0)]),
        ),
        (
            "node 0: attribute 'sparse_value' cannot be read: sparse_value.indices[1] is not after "
            "indices[0], expected ascending order",
            model_of(
                [
                    helper.make_node(
                        "Constant",
                        [],
                        ["c"],
                        sparse_value=helper.make_sparse_tensor(
                            numpy_helper.from_array(X[0]), numpy_helper.from_array(N), [9]
                        ),
                    )
                ]
            ),
        ),
        (
            "node 0 'it': attribute 'body' is of kind GRAPH, which is not supported",
            model_of([node(body=helper.make_graph([], "g", [], []))]),
        ),
    ],
)
def test_a_model_that_is_not_valid_or_not_supported_is_refused(words, model):
    refused(ModelError, words, model)


def test_the_model_s_own_functions_run():
    function = helper.make_function(
        "own", "Twice", ["a", "b"], ["c"], [node(inputs=["a", "b"], outputs=["c"])],
        [helper.make_opsetid("", 13)],
    )  # fmt: skip
    model = model_of(
        [node("Twice", domain="own")], imports=[helper.make_opsetid("own", 1)], functions=[function]
    )
    np.testing.assert_array_equal(OnnxBackend.run_model(model, [X, N])[0], Y)


@pytest.mark.filterwarnings("ignore:opset 99 of ai.onnx is newer")
def test_an_operator_of_an_opset_to_come_may_be_unknown():
    words = (
        "node 0 'it': ai.onnx has no operator 'Tiel' in opset 29, the newest that this opmill "
        "knows; did you mean 'Tile'?" + ADVICE
    )
    refused(ModelError, words, model_of([node("Tiel")], opset=99))


@pytest.mark.parametrize(
    ("words", "indices", "dims"),
    [
        ("sparse.indices[1] is not after indices[0], expected ascending order", [1, 0], [4]),
        ("sparse.indices[1] is 4, expected at least 0 and below 4", [1, 4], [4]),
        ("sparse.indices[1, 1] is 2, expected at least 0 and below 2", [[0, 1], [1, 2]], [3, 2]),
        ("sparse.indices has shape [1], expected [2] or [2, 1]", [1], [4]),
        ("sparse.dims[0] is -1, expected at least 0", [1, 2], [-1]),
    ],
)
def test_a_sparse_initializer_whose_parts_do_not_fit_is_refused(words, indices, dims):
    model = model_of()
    model.graph.sparse_initializer.append(
        helper.make_sparse_tensor(
            numpy_helper.from_array(X[0], "s"), numpy_helper.from_array(np.array(indices)), dims
        )
    )
    refused(ModelError, f"initializer 's' cannot be read: {words}", model)


@pytest.mark.parametrize(
    ("words", "change"),
    [
        (
            "initializer 'n' keeps its data outside of the model; give the model's path, or the "
            "folder",
            {"data_location": TensorProto.EXTERNAL},
        ),
        ("initializer 'n' has an unknown element type, 77", {"data_type": 77}),
        ("initializer 'n' has an unknown element type, 0", {"data_type": 0}),
        ("initializer 'n' has a negative dim: [-1]", {"dims": [-1]}),
    ],
)
def test_an_initializer_that_is_not_valid_is_refused(words, change):
    counts = numpy_helper.from_array(N, "n")
    for field, given in change.items():
        if field == "dims":
            del counts.dims[:]
            counts.dims.extend(given)
        else:
            setattr(counts, field, given)
    refused(ModelError, words, model_of(inputs=[value("x")], initializers=[counts]))


@pytest.mark.parametrize("data", [b"", b"1", bytes(17)])
def test_an_initializer_of_another_length_is_refused(data):
    counts = numpy_helper.from_array(N, "n")
    counts.raw_data = data
    words = f"initializer 'n' has {len(data)} bytes? in raw_data, expected 16 "
    with pytest.raises(ModelError, match=words):
        OnnxBackend.prepare(model_of(inputs=[value("x")], initializers=[counts]))


def test_onnx_s_own_checker_has_a_say():
    model = model_of()
    model.graph.name = ""
    with pytest.raises(
        ModelError, match=r"the model is not valid by onnx .*Field 'name' of 'graph'"
    ):
        OnnxBackend.prepare(model)


def test_a_name_that_cannot_be_printed_is_escaped_and_cut():
    with pytest.raises(ModelError) as caught:
        OnnxBackend.prepare(model_of(outputs=[value("\n\u2028" + "x" * 500)]))
    assert str(caught.value).isprintable()
    assert len(str(caught.value)) < 100


@pytest.mark.parametrize("given", [None, b"", "model.onnx", helper.make_graph([], "g", [], [])])
def test_what_is_no_model_is_refused(given):
    words = (
        f"model has type {type(given).__name__}, expected onnx.ModelProto; onnx.load(path) reads "
        "one from a file"
    )
    refused(ModelError, words, given)
    with pytest.raises(ModelError, match=r"node has type \w+, expected onnx\.NodeProto"):
        OnnxBackend.run_node(given, [])


# Attributes


def conv(**attributes):
    return model_of(
        [node("ConvTranspose", ["x", "w"], **attributes)], [value("x"), value("w")], opset=22
    )


@pytest.mark.parametrize(
    ("words", "attributes"),
    [
        (
            "ConvTranspose-22: attribute 'stride' is unknown, "
            "expected one of auto_pad, dilations, group, "
            "kernel_shape, output_padding, output_shape, pads, strides",
            {"stride": [2]},
        ),
        ("ConvTranspose-22: attribute 'strides' has kind INT, expected INTS", {"strides": 2}),
        ("ConvTranspose-22: attribute 'group' has kind FLOAT, expected INT", {"group": 1.0}),
        (
            "ConvTranspose-22: attribute 'strides' has kind FLOATS, expected INTS",
            {"strides": [2.0]},
        ),
    ],
)
def test_an_attribute_that_is_not_legal_is_refused_before_anything_runs(words, attributes):
    place = "node 0 'it' of ai.onnx: "
    refused(opmill.AttributeValueError, place + words, conv(**attributes))


def test_attributes_that_cannot_be_read_are_refused():
    words = "node 0 'it': attribute 'auto_pad' is no UTF-8 text"
    refused(ModelError, words, conv(auto_pad=b"\xff"))
    twice = conv(group=1)
    twice.graph.node[0].attribute.append(helper.make_attribute("group", 1))
    refused(ModelError, "node 0 'it': attribute 'group' is given twice", twice)
    reference = conv()
    attribute = reference.graph.node[0].attribute.add()
    attribute.name, attribute.type = "group", AttributeProto.INT
    attribute.ref_attr_name = "outer"
    words = "node 0 'it': attribute 'group' refers to an attribute of a function, and is in none"
    refused(ModelError, words, reference)


# Inputs that are refused


@pytest.mark.parametrize(
    ("words", "given"),
    [
        ("the model: number of inputs is 1, expected 2", [X]),
        ("the model: number of inputs is 3, expected 2", [X, N, N]),
        ("the model: number of inputs is 0, expected 2", []),
        ("input 'n' is missing", {"x": X}),
        ("the model has no input 'z'; it has 'x', 'n'", {"x": X, "n": N, "z": N}),
        ("the model has no input '1'; it has 'x', 'n'", {1: X}),
        ("inputs has type ndarray, expected a list of arrays, or a dict of arrays by name", X),
        ("inputs has type NoneType, expected a list of arrays, or a dict of arrays by name", None),
        ("input 'x' has type list, expected a NumPy array", [[[1.0]], N]),
        ("input 'x' has type NoneType, expected a NumPy array", [None, N]),
        ("input 'x' has type MaskedArray, expected a NumPy array", [np.ma.masked_array(X), N]),
        ("input 'x' has type double, expected float", [X.astype(np.float64), N]),
        ("input 'x' has type datetime64[s], expected float", [np.array([0], "M8[s]"), N]),
        ("input 'x' has shape [2], expected rank 2", [X[0], N]),
        ("input 'x' has shape [1, 3], expected 2 at axis 1", [np.zeros((1, 3), np.float32), N]),
        (
            "input 'n' has shape [3], expected 1 ('rows') at axis 0",
            [X, np.array([1, 1, 1])],
        ),
    ],
)
def test_inputs_that_are_not_what_the_model_declares_are_refused(words, given):
    inputs = [value("x", F, ["rows", 2]), value("n", I64, ["rows"])]
    prepared = OnnxBackend.prepare(model_of(inputs=inputs))
    with pytest.raises(FeedError, match=rf"\A{re.escape(words)}\Z"):
        prepared.run(given)


def test_a_node_s_own_refusal_names_the_node():
    prepared = OnnxBackend.prepare(model_of())
    with pytest.raises(opmill.ShapeError) as caught:
        prepared.run([X, np.array([1])])
    reason = "repeats has 1 value, expected 2 (the rank of input)"
    assert str(caught.value) == f"node 0 'tile' of ai.onnx: Tile-13: {reason}"
    assert (caught.value.label, caught.value.reason) == ("Tile-13", reason)
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)


def test_an_output_of_another_type_than_declared_is_an_error():
    prepared = OnnxBackend.prepare(model_of(outputs=[value("y", TensorProto.DOUBLE)]))
    with pytest.raises(ModelError, match="output 'y' is declared as double, but is float"):
        prepared.run([X, N])


@pytest.mark.parametrize(
    ("words", "inputs"),
    [
        ("node 'tile': number of inputs is 1, expected 2", [X]),
        ("inputs has type ndarray, expected a list of arrays", X),
    ],
)
def test_a_single_node_s_inputs_are_counted(words, inputs):
    with pytest.raises(FeedError, match=rf"\A{re.escape(words)}\Z"):
        OnnxBackend.run_node(TILE, inputs)


def test_a_single_node_s_opset_is_checked(monkeypatch):
    with pytest.raises(ModelError, match="opset_version has type str, expected int"):
        OnnxBackend.run_node(TILE, [X, N], opset_version="13")
    with pytest.raises(ModelError, match=r"opset 0 of ai\.onnx is unknown"):
        OnnxBackend.run_node(TILE, [X, N], opset_version=0)
    np.testing.assert_array_equal(OnnxBackend.run_node(TILE, [X, N], opset_version=29)[0], Y)
    (lacking,) = unsupported(monkeypatch, 1)
    name = lacking.operator
    with pytest.raises(
        UnsupportedOperatorError, match=rf"node '{name}' needs {name}-\d+ of ai\.onnx"
    ):
        OnnxBackend.run_node(helper.make_node(name, ["x"], ["y"]), [X])
    with pytest.raises(ModelError, match=r"is of the domain com\.nowhere, of which opmill has"):
        OnnxBackend.run_node(helper.make_node("A", ["x"], ["y"], domain="com.nowhere"), [X])
