"""``opmill.Model(..., optimize=True)``: products of matrices with a bias or a factor."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import onnxruntime as ort
import pytest
from onnx import ModelProto, numpy_helper, parser

import opmill

SMALL_RANK = "the rank of its input is not known, or too small"
RANDOM = np.random.default_rng(0)
WEIGHTS = RANDOM.normal(size=(6, 5)).astype(np.float32)
BIAS = RANDOM.normal(size=5).astype(np.float32)
LAYER = "p = MatMul (x, w) y = Add (b, p)"


def model_of(nodes: str, inputs: str, constants: Mapping[str, np.ndarray]) -> ModelProto:
    text = f'<ir_version: 8, opset_import: ["": 13]> g ({inputs}) => (float y) {{ {nodes} }}'
    message = parser.parse_model(text)
    for name, value in constants.items():
        message.graph.initializer.append(numpy_helper.from_array(value, name))
    message.graph.output[0].type.tensor_type.ClearField("shape")
    return message


def check(message: ModelProto, given: Mapping[str, np.ndarray], expected: list[str]) -> None:
    """Compare what is replaced, and the result with that of onnxruntime."""
    model = opmill.Model(message, optimize=True)
    assert [one.result for one in model.rewritten] == expected
    (wanted,) = ort.InferenceSession(message.SerializeToString()).run(None, dict(given))
    found = model.run(given)[0]
    assert found.shape == wanted.shape
    np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize(
    ("dims", "shape", "expected"),
    [
        ("3, 6", (3, 6), "Gemm-13"),
        ("batch, 6", (3, 6), "Gemm-13"),
        ("0, 6", (0, 6), "Gemm-13"),
        ("2, 3, 6", (2, 3, 6), "Reshape-25, Gemm-13, Reshape-25"),
        ("2, length, 6", (2, 0, 6), "Reshape-25, Gemm-13, Reshape-25"),
        ("batch, 3, 4, 6", (2, 3, 4, 6), "Reshape-25, Gemm-13, Reshape-25"),
    ],
)
def test_a_product_with_a_bias(dims: str, shape: tuple[int, ...], expected: str):
    message = model_of(LAYER, f"float[{dims}] x", {"w": WEIGHTS, "b": BIAS})
    check(message, {"x": RANDOM.normal(size=shape).astype(np.float32)}, [expected])


def test_a_bias_of_more_axes():
    message = model_of(LAYER, "float[2, 3, 6] x", {"w": WEIGHTS, "b": BIAS.reshape(1, 1, 5)})
    given = {"x": RANDOM.normal(size=(2, 3, 6)).astype(np.float32)}
    check(message, given, ["Reshape-25, Gemm-13, Reshape-25"])


def test_a_relu_behind_the_bias_is_computed_with_it():
    nodes = "p = MatMul (x, w) q = Add (p, b) y = Relu (q)"
    message = model_of(nodes, "float[3, 6] x", {"w": WEIGHTS, "b": BIAS})
    model = opmill.Model(message, optimize=True)
    x = RANDOM.normal(size=(3, 6)).astype(np.float32)
    with model.trace() as trace:
        (found,) = model.run([x])
    assert trace.nodes[0].operator == "Gemm-13"
    np.testing.assert_allclose(found, np.maximum(x @ WEIGHTS + BIAS, 0), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize(
    ("dims", "weights", "bias", "reason"),
    [
        ("6", WEIGHTS, BIAS, SMALL_RANK),
        ("a, b, 6", WEIGHTS, BIAS, "several dims of its input are open, or one is 0"),
        ("2, 0, 6", WEIGHTS, BIAS, "several dims of its input are open, or one is 0"),
        ("2, 3, n", WEIGHTS, BIAS, "the last dim of its input is not known"),
        ("2, 6", WEIGHTS, BIAS.reshape(1, 1, 5), SMALL_RANK),
        ("2, 6", WEIGHTS, BIAS[:1], "the bias is not a number for each column"),
        ("2, 6", WEIGHTS, BIAS.reshape(5, 1), "the bias is not a number for each column"),
        (
            "2, 6",
            WEIGHTS[:, :1],
            BIAS[:1],
            "the right operand is not a matrix of two columns or more",
        ),
    ],
)
def test_what_differs_stays(dims: str, weights: np.ndarray, bias: np.ndarray, reason: str):
    message = model_of(LAYER, f"float[{dims}] x", {"w": weights, "b": bias})
    model = opmill.Model(message, optimize=True)
    assert model.rewritten == ()
    assert [one.reason for one in model.unrewritten] == [reason]


def test_a_residual_stays():
    message = model_of("p = MatMul (x, w) y = Add (x, p)", "float[5, 5] x", {"w": WEIGHTS[:5]})
    model = opmill.Model(message, optimize=True)
    assert [one.reason for one in model.unrewritten] == ["the bias is not constant"]


FACTORS = {
    "a factor": ("Mul (p, c)", 0.3),
    "a factor in front": ("Mul (c, p)", 0.3),
    "a divisor": ("Div (p, c)", 2.83),
}
OPERANDS = "float[2, 3, 4, 6] x, float[2, 3, 6, 4] z"


@pytest.mark.parametrize("name", FACTORS)
def test_a_product_with_a_factor(name: str):
    node, number = FACTORS[name]
    nodes = f"p = MatMul (x, z) y = {node}"
    message = model_of(nodes, OPERANDS, {"c": np.array(number, np.float32)})
    given = {
        "x": RANDOM.normal(size=(2, 3, 4, 6)).astype(np.float32),
        "z": RANDOM.normal(size=(2, 3, 6, 4)).astype(np.float32),
    }
    check(message, given, ["FusedMatMul-1"])


@pytest.mark.parametrize(
    ("node", "factor", "reason"),
    [
        ("Div (p, c)", np.float32(0), "the factor is not a normal number of float"),
        ("Mul (p, c)", np.float32(1e-40), "the factor is not a normal number of float"),
        ("Mul (p, c)", np.float32(np.inf), "the factor is not a normal number of float"),
        ("Mul (p, c)", np.ones(4, np.float32), "the factor is not a constant number"),
    ],
)
def test_factors_that_stay(node: str, factor: np.ndarray, reason: str):
    message = model_of(f"p = MatMul (x, z) y = {node}", OPERANDS, {"c": np.asarray(factor)})
    model = opmill.Model(message, optimize=True)
    assert model.rewritten == ()
    assert [one.reason for one in model.unrewritten] == [reason]


def test_a_dividend_stays():
    """A constant that a product divides is no factor of it."""
    message = model_of("p = MatMul (x, z) y = Div (c, p)", OPERANDS, {"c": np.float32([2])})
    assert opmill.Model(message, optimize=True).rewritten == ()


def test_a_product_of_doubles_stays():
    text = OPERANDS.replace("float", "double")
    message = model_of("p = MatMul (x, z) y = Mul (p, c)", text, {"c": np.array(0.1)})
    message.graph.output[0].type.tensor_type.elem_type = 11
    model = opmill.Model(message, optimize=True)
    assert [one.reason for one in model.unrewritten] == ["the type of its input is not float"]
