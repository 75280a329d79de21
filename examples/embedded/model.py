"""Write a keyword spotter, the DS-CNN of MLPerf Tiny, with random weights.

49 frames of 10 features become the scores of 12 words. ``python model.py model.onnx`` writes it.
"""

from __future__ import annotations

import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

MAPS, WORDS = 64, 12


def keyword_spotter() -> onnx.ModelProto:
    """The network: a convolution, 4 pairs of depthwise and pointwise ones, and a classifier."""
    random = np.random.default_rng(1)
    nodes: list[onnx.NodeProto] = []
    weights: list[onnx.TensorProto] = []

    def weight(name: str, *shape: int) -> str:
        count = np.prod(shape[1:], dtype=int)
        values = random.standard_normal(shape) / np.sqrt(max(count, 1))
        weights.append(numpy_helper.from_array(values.astype(np.float32), name))
        return name

    def conv(source: str, name: str, shape: tuple[int, ...], **attributes: object) -> str:
        inputs = [source, weight(f"{name}_w", *shape), weight(f"{name}_b", shape[0])]
        nodes.append(helper.make_node("Conv", inputs, [f"{name}_raw"], name, **attributes))
        nodes.append(helper.make_node("Relu", [f"{name}_raw"], [name], f"{name}_relu"))
        return name

    last = conv("features", "first", (MAPS, 1, 10, 4), strides=[2, 2], pads=[4, 1, 5, 1])
    for k in range(4):
        last = conv(last, f"depthwise{k}", (MAPS, 1, 3, 3), group=MAPS, pads=[1, 1, 1, 1])
        last = conv(last, f"pointwise{k}", (MAPS, MAPS, 1, 1))
    classifier = [weight("words_w", MAPS, WORDS), weight("words_b", WORDS)]
    nodes += [
        helper.make_node("GlobalAveragePool", [last], ["pooled"], "pool"),
        helper.make_node("Flatten", ["pooled"], ["flat"], "flatten"),
        helper.make_node("Gemm", ["flat", *classifier], ["raw"], "words"),
        helper.make_node("Softmax", ["raw"], ["scores"], "softmax"),
    ]
    graph = helper.make_graph(
        nodes,
        "keyword_spotter",
        [helper.make_tensor_value_info("features", TensorProto.FLOAT, [1, 1, 49, 10])],
        [helper.make_tensor_value_info("scores", TensorProto.FLOAT, [1, WORDS])],
        weights,
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)


if __name__ == "__main__":
    onnx.save(keyword_spotter(), sys.argv[1])
