"""A network that onnxruntime's static quantizer has rewritten, beside onnxruntime."""

from __future__ import annotations

import logging
from collections.abc import Iterator

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

import opmill
from network_builder import Builder, run_by_onnxruntime

quantization = pytest.importorskip("onnxruntime.quantization")


class Pictures(quantization.CalibrationDataReader):
    """Random pictures, by which the quantizer finds the ranges of values."""

    def __init__(self) -> None:
        rng = np.random.default_rng(2)
        shape = (1, 3, 16, 16)
        self.feeds: Iterator[dict[str, np.ndarray]] = iter(
            [{"x": rng.standard_normal(shape).astype(np.float32)} for _ in range(4)]
        )

    def get_next(self) -> dict[str, np.ndarray] | None:
        return next(self.feeds, None)


def pictures_network() -> onnx.ModelProto:
    """Convolutions with a branch, pools, activations and a classifier."""
    build = Builder()

    def conv(x: str, channels: int, width: int, size: int) -> str:
        weights, bias = build.weights(width, channels, size, size), build.weights(width)
        return build.add("Conv", x, weights, bias, pads=[size // 2] * 4)

    x = build.add("Relu", conv("x", 3, 8, 3))
    left = build.add("LeakyRelu", conv(x, 8, 8, 3), alpha=0.125)
    right = build.add("Sigmoid", conv(x, 8, 8, 1))
    x = build.add("Add", build.add("Mul", left, right), x)
    x = build.add("AveragePool", x, kernel_shape=[2, 2], strides=[2, 2])
    x = build.add("Concat", x, conv(x, 8, 4, 1), axis=1)
    x = build.add("Flatten", build.add("GlobalAveragePool", x))
    x = build.add("Gemm", x, build.weights(12, 10), build.weights(10))
    build.nodes.append(helper.make_node("Softmax", [x], ["y"], name="last", axis=-1))
    given = [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 3, 16, 16])]
    result = [helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, 10])]
    graph = helper.make_graph(build.nodes, "pictures", given, result, build.constants)
    opsets = [helper.make_opsetid("", 13)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=8)


@pytest.mark.parametrize("backend", opmill.backends())
def test_a_network_of_quantised_operators(backend, tmp_path) -> None:
    plain, path = tmp_path / "plain.onnx", tmp_path / "quantised.onnx"
    onnx.save(pictures_network(), plain)
    logging.disable(logging.WARNING)  # advice to prepare the model
    try:
        quantization.quantize_static(
            str(plain), str(path), Pictures(), quant_format=quantization.QuantFormat.QOperator,
            activation_type=quantization.QuantType.QUInt8, reduce_range=True,
        )  # fmt: skip
    finally:
        logging.disable(logging.NOTSET)
    model = onnx.load(path)
    own = {node.op_type for node in model.graph.node if node.domain == "com.microsoft"}
    assert own >= {
        "QGemm", "QLinearAdd", "QLinearAveragePool", "QLinearConcat", "QLinearGlobalAveragePool",
        "QLinearLeakyRelu", "QLinearMul", "QLinearSigmoid", "QLinearSoftmax",
    }  # fmt: skip
    x = np.random.default_rng(9).standard_normal((1, 3, 16, 16)).astype(np.float32)
    with opmill.use_backend(backend):
        (y,) = opmill.Model(model).run({"x": x})
    np.testing.assert_allclose(y, run_by_onnxruntime(model, {"x": x})[0], atol=2 / 255)
