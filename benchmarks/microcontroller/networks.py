"""The networks of MLPerf Tiny with random weights, in float and quantized by onnxruntime."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper


class _Builder:
    """Collects the nodes and weights of a network from ``x`` to ``y``."""

    def __init__(self) -> None:
        self.random = np.random.default_rng(1)
        self.nodes: list[onnx.NodeProto] = []
        self.weights: list[onnx.TensorProto] = []
        self.count = 0

    def node(self, operator: str, *inputs: str, **attributes: Any) -> str:
        """Add a node; return the name of its output."""
        self.count += 1
        name = f"{operator.lower()}_{self.count}"
        self.nodes.append(helper.make_node(operator, inputs, [name], name, **attributes))
        return name

    def weight(self, *shape: int) -> str:
        """Add a weight with elements that preserve the size of activations."""
        scale = np.sqrt(2 / max(np.prod(shape[1:], dtype=int), 1)) if len(shape) > 1 else 0.1
        values = self.random.standard_normal(shape) * scale
        name = f"w{len(self.weights)}"
        self.weights.append(numpy_helper.from_array(values.astype(np.float32), name))
        return name

    def conv(self, x: str, shape: tuple[int, ...], *, relu: bool = True, **attributes: Any) -> str:
        """Add a Conv with a bias, and a Relu."""
        y = self.node("Conv", x, self.weight(*shape), self.weight(shape[0]), **attributes)
        return self.node("Relu", y) if relu else y

    def dense(self, x: str, inside: int, outside: int) -> str:
        """Add a fully connected layer."""
        weights = self.weight(outside, inside), self.weight(outside)
        return self.node("Gemm", x, *weights, transB=1)

    def classifier(self, x: str, inside: int, outside: int) -> str:
        """Add the mean of each map, a fully connected layer and a Softmax."""
        flat = self.node("Flatten", self.node("GlobalAveragePool", x))
        return self.node("Softmax", self.dense(flat, inside, outside))

    def model(self, inside: list[int], outside: list[int], last: str) -> onnx.ModelProto:
        """The model; its last node computes ``y``."""
        self.nodes[-1].output[0] = "y"
        assert self.nodes[-1].name == last
        graph = helper.make_graph(
            self.nodes,
            "net",
            [helper.make_tensor_value_info("x", TensorProto.FLOAT, inside)],
            [helper.make_tensor_value_info("y", TensorProto.FLOAT, outside)],
            self.weights,
        )
        opset = helper.make_opsetid("", 17)
        return helper.make_model(graph, opset_imports=[opset], ir_version=8)


def keyword_spotting() -> onnx.ModelProto:
    """DS-CNN: a convolution, and 4 pairs of depthwise and 1x1 ones with 64 maps."""
    net = _Builder()
    last = net.conv("x", (64, 1, 10, 4), strides=[2, 2], pads=[4, 1, 5, 1])
    for _ in range(4):
        last = net.conv(last, (64, 1, 3, 3), group=64, pads=[1, 1, 1, 1])
        last = net.conv(last, (64, 64, 1, 1))
    return net.model([1, 1, 49, 10], [1, 12], net.classifier(last, 64, 12))


def visual_wake_words() -> onnx.ModelProto:
    """MobileNetV1 with a quarter of the maps."""
    net = _Builder()
    last = net.conv("x", (8, 3, 3, 3), strides=[2, 2], pads=[0, 0, 1, 1])
    maps = 8
    for outside, stride in (
        (16, 1), (32, 2), (32, 1), (64, 2), (64, 1), (128, 2), (128, 1), (128, 1), (128, 1),
        (128, 1), (128, 1), (256, 2), (256, 1),
    ):  # fmt: skip
        pads = [1, 1, 1, 1] if stride == 1 else [0, 0, 1, 1]
        shape = (maps, 1, 3, 3)
        last = net.conv(last, shape, group=maps, strides=[stride, stride], pads=pads)
        last = net.conv(last, (outside, maps, 1, 1))
        maps = outside
    return net.model([1, 3, 96, 96], [1, 2], net.classifier(last, maps, 2))


def image_classification() -> onnx.ModelProto:
    """ResNet-8: three residual blocks of 16, 32 and 64 maps."""
    net = _Builder()
    last = net.conv("x", (16, 3, 3, 3), pads=[1, 1, 1, 1])
    inside = 16
    for outside, stride in ((16, 1), (32, 2), (64, 2)):
        pads = [1, 1, 1, 1] if stride == 1 else [0, 0, 1, 1]
        strides, short = [stride, stride], last
        first = net.conv(last, (outside, inside, 3, 3), strides=strides, pads=pads)
        second = net.conv(first, (outside, outside, 3, 3), relu=False, pads=[1, 1, 1, 1])
        if stride != 1:
            short = net.conv(last, (outside, inside, 1, 1), relu=False, strides=strides)
        last = net.node("Relu", net.node("Add", second, short))
        inside = outside
    return net.model([1, 3, 32, 32], [1, 10], net.classifier(last, 64, 10))


def anomaly_detection() -> onnx.ModelProto:
    """An autoencoder of fully connected layers: 640, 4 of 128, 8, 4 of 128, 640."""
    net = _Builder()
    sizes = [640, 128, 128, 128, 128, 8, 128, 128, 128, 128, 640]
    last = "x"
    for k, (inside, outside) in enumerate(pairwise(sizes)):
        last = net.dense(last, inside, outside)
        if k < len(sizes) - 2:
            last = net.node("Relu", last)
    return net.model([1, 640], [1, 640], last)


NETWORKS: dict[str, Callable[[], onnx.ModelProto]] = {
    "keyword spotting (DS-CNN)": keyword_spotting,
    "visual wake words (MobileNetV1 0.25)": visual_wake_words,
    "image classification (ResNet-8)": image_classification,
    "anomaly detection (autoencoder)": anomaly_detection,
}
"""By the name of the task and the network."""

FLOAT, INTEGER = "float", "int8 QDQ"


def forms(name: str, folder: Path) -> Iterator[tuple[str, Path]]:
    """Write a network in float and in int8; yield the form and the file of each."""
    from onnxruntime.quantization import QuantFormat, QuantType, quantize_static

    model = NETWORKS[name]()
    whole, narrow = folder / "float.onnx", folder / "int8.onnx"
    onnx.save(model, whole)
    yield FLOAT, whole
    quantize_static(
        whole,
        narrow,
        _Samples(model),
        quant_format=QuantFormat.QDQ,
        per_channel=True,
        activation_type=QuantType.QInt8,
        weight_type=QuantType.QInt8,
    )
    yield INTEGER, narrow


class _Samples:
    """Random inputs, from which onnxruntime derives the ranges of activations."""

    def __init__(self, model: onnx.ModelProto, count: int = 4) -> None:
        dims = model.graph.input[0].type.tensor_type.shape.dim
        random = np.random.default_rng(2)
        shape = [dim.dim_value for dim in dims]
        self.rest = [random.standard_normal(shape).astype(np.float32) for _ in range(count)]

    def get_next(self) -> dict[str, Any] | None:
        """The next inputs, or ``None`` at the end."""
        return {"x": self.rest.pop()} if self.rest else None
