"""CastMap takes dicts, which cases cannot state."""

from __future__ import annotations

import numpy as np
import pytest
from onnx import checker, parser

import opmill
from opmill.ml import opset5 as op

TYPES = {"TO_FLOAT": np.float32, "TO_INT64": np.int64, "TO_STRING": object}
FLOATS = {5: np.float32(1.5), 2: np.float32(-7.75), 9: np.float32(1e-7)}


def check(x, wanted, **attributes):
    found = op.cast_map(x, **attributes)
    assert found.dtype == TYPES[attributes.get("cast_to", "TO_FLOAT")]
    assert found.tolist() == wanted


@pytest.mark.parametrize(
    ("cast_to", "wanted"),
    [
        ("TO_FLOAT", [[-7.75, 1.5, float(np.float32(1e-7))]]),
        ("TO_INT64", [[-7, 1, 0]]),
        ("TO_STRING", [["-7.750000", "1.500000", "0.000000"]]),
    ],
)
def test_dense_floats(cast_to, wanted):
    check(FLOATS, wanted, cast_to=cast_to)


def test_dense_ignores_the_length():
    check({7: np.float32(1), 3: np.float32(2)}, [[2, 1]], max_map=1)


@pytest.mark.parametrize(
    ("cast_to", "wanted"),
    [
        ("TO_FLOAT", [[0, 2.5, 0, 1]]),
        ("TO_INT64", [[0, 2, 0, 1]]),
        ("TO_STRING", [["0.f", "2.500000", "0.f", "1.000000"]]),
    ],
)
def test_sparse_floats(cast_to, wanted):
    x = {3: np.float32(1), 1: np.float32(2.5)}
    check(x, wanted, cast_to=cast_to, map_form="SPARSE", max_map=4)


@pytest.mark.parametrize(
    ("cast_to", "x", "wanted"),
    [
        ("TO_FLOAT", {1: "2.5", 0: "-1e3", 2: "inf"}, [[-1000, 2.5, float("inf")]]),
        ("TO_INT64", {1: "25", 0: "-9223372036854775808"}, [[-(2**63), 25]]),
        ("TO_STRING", {1: "b", 0: ""}, [["", "b"]]),
    ],
)
def test_strings(cast_to, x, wanted):
    check(x, wanted, cast_to=cast_to)


def test_numbers_of_python_are_floats():
    check({0: 0.1}, [[float(np.float32(0.1))]])


def test_special_numbers():
    x = {0: np.float32("nan"), 1: np.float32("inf"), 2: np.float32(1e20)}
    check(x, [["nan", "inf", "100000002004087734272.000000"]], cast_to="TO_STRING")


def test_no_items():
    assert op.cast_map({}).shape == (1, 0)
    check({}, [[0, 0]], map_form="SPARSE", max_map=2, cast_to="TO_INT64")


SPARSE = {"map_form": "SPARSE", "max_map": 2}
WHOLE = {"cast_to": "TO_INT64"}
BEYOND = "9223372036854775808"


@pytest.mark.parametrize(
    ("x", "attributes", "message"),
    [
        (
            {0: 1.0},
            {"cast_to": "FLOAT"},
            "cast_to is 'FLOAT', expected 'TO_FLOAT', 'TO_INT64' or 'TO_STRING'",
        ),
        ({0: 1.0}, {"map_form": "dense"}, "map_form is 'dense', expected 'DENSE' or 'SPARSE'"),
        ({0: 1.0}, {**SPARSE, "max_map": 0}, "max_map is 0, expected at least 1"),
        ({2: 1.0}, SPARSE, "X has the key 2, expected 0 to 1 (max_map - 1)"),
        ({-1: 1.0}, SPARSE, "X has the key -1, expected 0 to 1 (max_map - 1)"),
        ({0: "1x"}, {}, "X[0] is '1x', expected a number"),
        ({0: "1_0"}, WHOLE, "X[0] is '1_0', expected an integer that fits int64"),
        ({0: BEYOND}, WHOLE, f"X[0] is '{BEYOND}', expected an integer that fits int64"),
        ({0: 1e30}, WHOLE, "X[0] is 1e+30, expected a number that fits int64"),
        (
            {"a": 1.0},
            {},
            "X has type map(string, float), expected one of map(int64, float), map(int64, string)",
        ),
    ],
)
def test_refused(x, attributes, message):
    with pytest.raises(opmill.OpError) as refused:
        op.cast_map(x, **attributes)
    assert str(refused.value) == f"CastMap-1: {message}"


MODEL = """
<ir_version: 8, opset_import: ["": 13, "ai.onnx.ml": 1]>
g (map(int64, float) x) => ({type}[1, n] y) {{
    y = ai.onnx.ml.CastMap <cast_to = "{cast_to}", map_form = "{form}", max_map = 12> (x)
}}"""


@pytest.mark.parametrize("form", ["DENSE", "SPARSE"])
@pytest.mark.parametrize(
    ("cast_to", "type"), [("TO_FLOAT", "float"), ("TO_INT64", "int64"), ("TO_STRING", "string")]
)
def test_model(cast_to, type, form):
    onnxruntime = pytest.importorskip("onnxruntime")
    model = parser.parse_model(MODEL.format(cast_to=cast_to, type=type, form=form))
    checker.check_model(model)
    x = {key: float(value) for key, value in FLOATS.items()}
    (y,) = opmill.Model(model).run({"x": x})
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    session = onnxruntime.InferenceSession(model.SerializeToString(), options)
    (wanted,) = session.run(None, {"x": x})
    assert y.dtype == wanted.dtype
    np.testing.assert_array_equal(y, wanted)
