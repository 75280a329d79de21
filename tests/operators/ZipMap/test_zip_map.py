"""ZipMap's results are lists of dicts, which cases cannot state."""

from __future__ import annotations

import numpy as np
import pytest
from onnx import checker, parser

import opmill
from opmill.ml import opset5 as op

X = np.float32([[0.25, 0.75], [1, 0]])


def test_strings():
    assert op.zip_map(X, classlabels_strings=["b", "a"]) == [
        {"b": 0.25, "a": 0.75},
        {"b": 1.0, "a": 0.0},
    ]


def test_integers():
    found = op.zip_map(X, classlabels_int64s=[7, -(2**63)])
    assert found == [{7: 0.25, -(2**63): 0.75}, {7: 1.0, -(2**63): 0.0}]
    assert {type(key) for one in found for key in one} == {int}
    assert {type(value) for one in found for value in one.values()} == {np.float32}


def test_labels_keep_their_order():
    (first, _) = op.zip_map(X, classlabels_strings=["b", "a"])
    assert list(first) == ["b", "a"]


def test_vector():
    assert op.zip_map(X[0], classlabels_strings=["a", "b"]) == [{"a": 0.25, "b": 0.75}]


def test_no_rows():
    assert op.zip_map(X[:0], classlabels_strings=["a", "b"]) == []


def test_the_last_column_of_equal_labels_counts():
    assert op.zip_map(X, classlabels_int64s=[1, 1]) == [{1: 0.75}, {1: 0.0}]


def test_values_are_no_views():
    x = X.copy()
    found = op.zip_map(x, classlabels_int64s=[0, 1])
    x[...] = 9
    assert found[0] == {0: 0.25, 1: 0.75}


def test_infer_and_out_are_refused():
    operator = opmill.operator("ZipMap", 1, "ai.onnx.ml")
    given = {"classlabels_int64s": [0, 1]}
    with pytest.raises(opmill.OpError, match=r"^ZipMap-1: types of the outputs are unknown"):
        operator.infer([X], given)
    with pytest.raises(opmill.OpError, match=r"^ZipMap-1: out is given, expected none"):
        operator([X], given, out=X)
    assert operator.explain([X], given).backend == "numpy"


MODEL = """
<ir_version: 8, opset_import: ["": 13, "ai.onnx.ml": 1]>
g (float[n, 2] x) => (seq(map({key}, float)) z, float[n, 2] y) {{
    y = ai.onnx.ml.Scaler <offset = [1.0], scale = [2.0]> (x)
    z = ai.onnx.ml.ZipMap <classlabels_{key}s = {labels}> (y)
}}"""


@pytest.mark.parametrize(("key", "labels"), [("int64", "[4, 5]"), ("string", '["a", "b"]')])
def test_model(key, labels):
    onnxruntime = pytest.importorskip("onnxruntime")
    model = parser.parse_model(MODEL.format(key=key, labels=labels))
    checker.check_model(model)
    z, y = opmill.Model(model).run({"x": X})
    names = [4, 5] if key == "int64" else ["a", "b"]
    assert z == [dict(zip(names, row.tolist(), strict=True)) for row in (X - 1) * 2]
    np.testing.assert_array_equal(y, (X - 1) * 2)
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    session = onnxruntime.InferenceSession(model.SerializeToString(), options)
    assert z == session.run(["z"], {"x": X})[0]
