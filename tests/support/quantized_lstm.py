"""A network of onnxruntime's dynamic quantizer whose layer is DynamicQuantizeLSTM."""

from __future__ import annotations

import logging
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from onnxruntime import quantization


def write_network(path: Path, direction: str, per_channel: bool) -> None:
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
