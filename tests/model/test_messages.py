"""Errors of models name what the user gave, and what was expected."""

from __future__ import annotations

import re

import numpy as np
import pytest
from click.testing import CliRunner
from onnx import StringStringEntryProto, TensorProto, helper, parser, save

import opmill
from opmill_gen.cli.main import main

X = np.ones(2, np.float32)
RELU = """
<ir_version: 8, opset_import: ["": 17]>
g (float[2] x) => (float[2] y) { y = Relu(x) }"""


def with_initializer(**fields):
    model = parser.parse_model(RELU.replace("Relu(x)", "Add(x, w)"))
    fields = {"data_type": TensorProto.FLOAT, "dims": [2], **fields}
    model.graph.initializer.append(TensorProto(name="w", **fields))
    return model


def refused(words, call, error=opmill.ModelError):
    with pytest.raises(error, match=re.escape(words)):
        call()


def test_a_folder_is_named(tmp_path):
    folder = tmp_path / ("a" * 100)
    folder.mkdir()
    refused(f"the model '{folder}' is a folder, expected a", lambda: opmill.Model(folder))


@pytest.mark.parametrize(
    ("words", "fields"),
    [
        ("has 1 value in float_data, expected 2 (type float, shape [2])", {"float_data": [1]}),
        ("has 3 bytes in raw_data, expected 8 (type float, shape [2])", {"raw_data": b"abc"}),
        ("has 2 bytes in raw_data, expected 1 (type int4", {"data_type": 22, "raw_data": b"ab"}),
        ("has 2 values in float_data, expected 4", {"data_type": 14, "float_data": [1, 2]}),
        ("has 0 values in string_data, expected 2", {"data_type": TensorProto.STRING}),
        ("has 0 values in float_data, expected 4096", {"dims": [1 << 6, 1 << 6]}),
        ("is a segment of a tensor, expected a whole", {"segment": {"begin": 0, "end": 1}}),
        ("has shape [4611686018427387904, 4], expected at most 2^63-1", {"dims": [1 << 62, 4]}),
    ],
)
def test_tensors_of_another_size(words, fields):
    if "segment" in fields:
        fields = {"segment": TensorProto.Segment(**fields["segment"]), "float_data": [1, 2]}
    refused(f"initializer 'w' {words}", lambda: opmill.Model(with_initializer(**fields)))


def test_dims_of_external_data_that_overflow(tmp_path):
    model = with_initializer(dims=[1 << 62, 1 << 62], data_location=TensorProto.EXTERNAL)
    entry = StringStringEntryProto(key="location", value="w.data")
    model.graph.initializer[0].external_data.append(entry)
    words = "initializer 'w' has shape [4611686018427387904, 4611686018427387904], expected at most"
    refused(words, lambda: opmill.Model(model, folder=tmp_path))


def test_objects_that_are_no_strings():
    model = opmill.Model(parser.parse_model(RELU))
    words = "input 'x' has type object array of float, expected float"
    refused(words, lambda: model.run([np.array([1.0, 2.0], object)]), opmill.FeedError)
    words = "input 'x' has type string, expected float"
    refused(words, lambda: model.run([np.array(["a", "b"], object)]), opmill.FeedError)


@pytest.mark.parametrize(
    ("words", "outputs"),
    [
        ("outputs has type int, expected a list of names", 7),
        ("outputs has type str, expected a list of names", "y"),
        ("outputs has type bytes, expected a list of names", b"y"),
        ("the model has no output '7'; it has 'y'", [7]),
        ("the model has no output '[]'; it has 'y'", [[]]),
    ],
)
def test_outputs_that_are_no_names(words, outputs):
    model = opmill.Model(parser.parse_model(RELU))
    refused(words, lambda: model.run([X], outputs=outputs), opmill.FeedError)


@pytest.mark.parametrize(("overload", "words"), [("c", "overload 'c'"), ("", "form without")])
def test_a_missing_overload_is_named(overload, words):
    body = [helper.make_node("Neg", ["a"], ["b"])]
    imports = [helper.make_opsetid("", 17)]
    function = helper.make_function("own", "F", ["a"], ["b"], body, imports, overload="o")
    model = parser.parse_model(RELU)
    model.functions.append(function)
    model.opset_import.append(helper.make_opsetid("own", 1))
    node = model.graph.node[0]
    node.op_type, node.domain, node.overload = "F", "own", overload
    refused(f"node 0: the function 'F' of own has no {words}", lambda: opmill.Model(model))
    node.overload = "o"
    np.testing.assert_array_equal(opmill.Model(model).run([X])[0], -X)


@pytest.mark.parametrize("backend", opmill.backends())
@pytest.mark.parametrize("count", [3, 129, 130, 1000])
def test_more_axes_than_any_tensor_has(count, backend):
    words = f"axes has {count} values, expected at most 2 (the rank)"
    operator = opmill.operator("MeanVarianceNormalization", 13)
    with opmill.use_backend(backend):
        call = lambda: operator([np.ones((2, 2), np.float32)], {"axes": [0] * count})  # noqa: E731
        refused(words, call, opmill.AttributeValueError)


@pytest.mark.parametrize(
    ("name", "meant"),
    [("Convv", "Conv"), ("conv_transpose", "ConvTranspose"), ("Rellu", "Relu")],
)
def test_misspelt_operators(name, meant):
    words = f"ai.onnx has no operator '{name}'; did you mean '{meant}'?"
    refused(words, lambda: opmill.operator(name, 22), opmill.NoOperatorError)
    model = parser.parse_model(RELU)
    model.graph.node[0].op_type = name
    refused(f"node 0: {words}", lambda: opmill.Model(model))


def test_what_resembles_no_operator_suggests_none():
    with pytest.raises(opmill.NoOperatorError, match=r"no operator 'Zzyzx'$"):
        opmill.operator("Zzyzx", 22)


def test_dims_that_are_left_open_are_named(tmp_path):
    model = parser.parse_model("""
    <ir_version: 8, opset_import: ["": 17]>
    g (float[n, 3, height, width] x) => (float[a, b, c, d] y) <float[1, 3, 3, 3] w>
    { y = MaxPool <kernel_shape = [3, 3]> (x) }""")
    del model.graph.initializer[:]
    save(model, tmp_path / "m.onnx")
    arguments = ["run", str(tmp_path / "m.onnx"), "--dim", "n=2"]
    done = CliRunner().invoke(main, arguments)
    assert (
        "x: random float32[2, 3, 1, 1]; 'height' (axis 2), 'width' (axis 3) are 1 because the "
        "model leaves them open, set with --dim height=N or --shape x=N,3,N,N"
    ) in done.stderr
    done = CliRunner().invoke(main, [*arguments, "--dim", "height=9", "--dim", "width=9"])
    assert (done.exit_code, "because" in done.stderr) == (0, False)
