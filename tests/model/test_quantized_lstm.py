"""A network of onnxruntime's dynamic quantizer whose layer is DynamicQuantizeLSTM."""

import logging

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

import opmill

quantization = pytest.importorskip("onnxruntime.quantization")
runtime = pytest.importorskip("onnxruntime")


def network(path, direction: str, per_channel: bool) -> None:
    """Write an LSTM behind which a projection follows, quantized; weights are small."""
    rng, directions = np.random.default_rng(7), 2 if direction == "bidirectional" else 1
    size, hidden = 12, 20
    shapes = {
        "W": (directions, 4 * hidden, size),
        "R": (directions, 4 * hidden, hidden),
        "B": (directions, 8 * hidden),
    }
    weights = {
        name: (rng.standard_normal(shape) * 0.15).astype(np.float32)
        for name, shape in shapes.items()
    }
    nodes = [
        helper.make_node(
            "LSTM", ["X", "W", "R", "B"], ["Y", "H"], hidden_size=hidden, direction=direction
        ),
        helper.make_node("Relu", ["Y"], ["Z"]),
    ]
    graph = helper.make_graph(
        nodes,
        "g",
        [helper.make_tensor_value_info("X", TensorProto.FLOAT, ["T", "N", size])],
        [
            helper.make_tensor_value_info("Z", TensorProto.FLOAT, ["T", directions, "N", hidden]),
            helper.make_tensor_value_info("H", TensorProto.FLOAT, [directions, "N", hidden]),
        ],
        [numpy_helper.from_array(value, name) for name, value in weights.items()],
    )
    plain = path.with_name("plain.onnx")
    opsets = [helper.make_opsetid("", 14)]
    onnx.save(helper.make_model(graph, opset_imports=opsets, ir_version=8), plain)
    logging.disable(logging.WARNING)  # advice to prepare the model
    try:
        quantization.quantize_dynamic(plain, path, per_channel=per_channel, reduce_range=True)
    finally:
        logging.disable(logging.NOTSET)


@pytest.mark.parametrize("direction", ["forward", "bidirectional"])
@pytest.mark.parametrize("per_channel", [False, True])
def test_network(tmp_path, direction: str, per_channel: bool):
    path = tmp_path / "quantized.onnx"
    network(path, direction, per_channel)
    assert "DynamicQuantizeLSTM" in [node.op_type for node in onnx.load(path).graph.node]
    session = runtime.InferenceSession(path, providers=["CPUExecutionProvider"])
    X = np.random.default_rng(3).standard_normal((9, 2, 12)).astype(np.float32)
    expected = session.run(None, {"X": X})
    for backend in ("c", "numpy"):
        with opmill.use_backend(backend):
            found = opmill.Model(path).run({"X": X})
        for name, value in zip(("Z", "H"), expected, strict=True):
            # a state between two numbers of its quantization can become either
            np.testing.assert_allclose(found[name], value, rtol=0, atol=2e-3)
