"""Models with random weights, node by node, for tests with onnxruntime's tools."""

from __future__ import annotations

import numpy as np
import onnx
from onnx import helper, numpy_helper


class Builder:
    """Nodes and constants of a model."""

    def __init__(self) -> None:
        self.rng = np.random.default_rng(3)
        self.nodes: list[onnx.NodeProto] = []
        self.constants: list[onnx.TensorProto] = []

    def constant(self, array: np.ndarray) -> str:
        name = f"c{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(array, name))
        return name

    def number(self, value: float) -> str:
        return self.constant(np.array(value, np.float32))

    def weights(self, *shape: int) -> str:
        return self.constant((self.rng.standard_normal(shape) * 0.2).astype(np.float32))

    def add(self, operator: str, *inputs: str, **attributes: object) -> str:
        name = f"n{len(self.nodes)}"
        self.nodes.append(helper.make_node(operator, inputs, [name], name=name, **attributes))
        return name


def run_by_onnxruntime(model: onnx.ModelProto, feeds: dict[str, np.ndarray]) -> list[np.ndarray]:
    """Run a model as it is: without optimisations."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )
    return session.run(None, feeds)
