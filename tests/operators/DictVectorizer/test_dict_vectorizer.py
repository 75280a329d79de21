"""DictVectorizer takes dicts, which cases cannot state."""

from __future__ import annotations

import numpy as np
import pytest
from onnx import checker, parser

import opmill
from opmill.ml import opset5 as op

VOCABULARY = ["a", "c", "b", "z"]


def check(found, type, items):
    assert found.dtype == type
    assert found.tolist() == items


@pytest.mark.parametrize("type", [np.int64, np.float32, np.float64])
def test_published_example(type):
    x = {"a": type(4), "c": type(8)}
    check(op.dict_vectorizer(x, string_vocabulary=VOCABULARY), type, [[4, 8, 0, 0]])


@pytest.mark.parametrize("type", [np.float32, np.float64])
def test_integer_keys(type):
    x = {3: type(0.5), -(2**63): type(1.5)}
    found = op.dict_vectorizer(x, int64_vocabulary=[-(2**63), 2, 3])
    check(found, type, [[1.5, 0, 0.5]])


def test_strings():
    found = op.dict_vectorizer({1: "x"}, int64_vocabulary=[2, 1])
    check(found, object, [["", "x"]])


def test_numbers_of_python():
    check(op.dict_vectorizer({"a": 1.5}, string_vocabulary=["a"]), np.float64, [[1.5]])
    check(op.dict_vectorizer({"a": 2}, string_vocabulary=["a"]), np.int64, [[2]])


def test_keys_of_numpy():
    x = {np.int64(1): np.float32(2), np.int64(5): np.float32(3)}
    check(op.dict_vectorizer(x, int64_vocabulary=[5, 1]), np.float32, [[3, 2]])


def test_other_keys_are_ignored():
    x = {"a": np.float32(1), "q": np.float32(2)}
    check(op.dict_vectorizer(x, string_vocabulary=["a"]), np.float32, [[1]])


def test_a_key_fills_each_of_its_positions():
    x = {"a": np.float32(1)}
    check(op.dict_vectorizer(x, string_vocabulary=["a", "b", "a"]), np.float32, [[1, 0, 1]])


def test_no_items():
    check(op.dict_vectorizer({}, string_vocabulary=["a", "b"]), np.float32, [[0, 0]])


@pytest.mark.parametrize(
    ("x", "attributes", "message"),
    [
        ({"a": 1}, {}, "number of vocabulary attributes is 0, expected 1"),
        (
            {"a": 1},
            {"int64_vocabulary": [1], "string_vocabulary": ["a"]},
            "number of vocabulary attributes is 2, expected 1",
        ),
        ({1: 1.0}, {"int64_vocabulary": []}, "int64_vocabulary has 0 values, expected at least 1"),
        (
            {"a": 1.0},
            {"string_vocabulary": []},
            "string_vocabulary has 0 values, expected at least 1",
        ),
        (
            {"a": 1.0},
            {"int64_vocabulary": [1]},
            "X has keys of type string, expected int64 (the vocabulary)",
        ),
        (
            {"a": 1.0, 2: 1.0},
            {"int64_vocabulary": [1]},
            "keys of X have types int64 and string, expected one type",
        ),
        (
            {"a": np.float32(1), "b": np.float64(1)},
            {"string_vocabulary": ["a"]},
            "values of X have types double and float, expected one type",
        ),
        (
            {1: 2},
            {"int64_vocabulary": [1]},
            "X has type map(int64, int64), expected one of map(int64, double), map(int64, float), "
            "map(int64, string), map(string, double), map(string, float), map(string, int64)",
        ),
    ],
)
def test_refused(x, attributes, message):
    with pytest.raises(opmill.OpError) as refused:
        op.dict_vectorizer(x, **attributes)
    assert str(refused.value) == f"DictVectorizer-1: {message}"


MODEL = """
<ir_version: 8, opset_import: ["": 13, "ai.onnx.ml": 1]>
g (map(string, float) x) => (float[1, 3] y) {
    z = ai.onnx.ml.DictVectorizer <string_vocabulary = ["b", "a", "c"]> (x)
    y = ai.onnx.ml.Scaler <offset = [0.0], scale = [2.0]> (z)
}"""


@pytest.mark.parametrize("x", [{"a": 1.5, "q": 3.0}, {"b": -1.0, "c": 0.25, "a": 0.1}])
def test_model(x):
    onnxruntime = pytest.importorskip("onnxruntime")
    model = parser.parse_model(MODEL)
    checker.check_model(model)
    (y,) = opmill.Model(model).run({"x": x})
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    session = onnxruntime.InferenceSession(model.SerializeToString(), options)
    (wanted,) = session.run(None, {"x": x})
    assert y.dtype == wanted.dtype
    np.testing.assert_array_equal(y, wanted)


def test_model_without_items():
    (y,) = opmill.Model(parser.parse_model(MODEL)).run({"x": {}})
    check(y, np.float32, [[0, 0, 0]])


@pytest.mark.parametrize(
    ("x", "message"),
    [
        ([1.0], "input 'x' has type list, expected a dict"),
        ({1: 1.0}, "input 'x' has a key of type int, expected string"),
        ({"a": "b"}, "input 'x' has a value of type str, expected float"),
    ],
)
def test_model_refuses_other_values(x, message):
    with pytest.raises(opmill.FeedError) as refused:
        opmill.Model(parser.parse_model(MODEL)).run({"x": x})
    assert message in str(refused.value)
