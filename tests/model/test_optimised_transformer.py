"""A BERT that onnxruntime's optimiser of transformers has fused, beside onnxruntime.

The model is written as exporters of BERT write it, so that the optimiser finds its patterns.
"""

from __future__ import annotations

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

import opmill
from network_builder import Builder, run_by_onnxruntime

pytest.importorskip("onnxruntime")
from onnxruntime.transformers import optimizer  # imports sympy, of the extra "tests"

WORDS, POSITIONS, LENGTH, HIDDEN, HEADS, INNER = 50, 32, 8, 32, 4, 64


class Transformer(Builder):
    """The parts of a BERT."""

    def dense(self, x: str, size: int, width: int) -> str:
        return self.add(
            "Add", self.add("MatMul", x, self.weights(size, width)), self.weights(width)
        )

    def heads(self, x: str, order: list[int]) -> str:
        shape = self.constant(np.array([0, 0, HEADS, HIDDEN // HEADS]))
        split = self.add("Reshape", self.dense(x, HIDDEN, HIDDEN), shape)
        return self.add("Transpose", split, perm=order)

    def normal(self, x: str) -> str:
        """LayerNormalization as exporters wrote it before opset 17."""
        mean = self.add("ReduceMean", x, axes=[-1])
        less = self.add("Sub", x, mean)
        power = self.add("Pow", less, self.number(2))
        variance = self.add("ReduceMean", power, axes=[-1])
        root = self.add("Sqrt", self.add("Add", variance, self.number(1e-5)))
        scaled = self.add("Mul", self.add("Div", less, root), self.weights(HIDDEN))
        return self.add("Add", scaled, self.weights(HIDDEN))

    def gelu(self, x: str) -> str:
        erf = self.add("Erf", self.add("Div", x, self.number(np.sqrt(2))))
        product = self.add("Mul", x, self.add("Add", erf, self.number(1)))
        return self.add("Mul", product, self.number(0.5))

    def layer(self, x: str, mask: str) -> str:
        query, key = self.heads(x, [0, 2, 1, 3]), self.heads(x, [0, 2, 3, 1])
        value = self.heads(x, [0, 2, 1, 3])
        scores = self.add("MatMul", query, key)
        scores = self.add("Div", scores, self.number(np.sqrt(HIDDEN / HEADS)))
        shares = self.add("Softmax", self.add("Add", scores, mask), axis=-1)
        mixed = self.add("Transpose", self.add("MatMul", shares, value), perm=[0, 2, 1, 3])
        joined = self.add("Reshape", mixed, self.constant(np.array([0, 0, HIDDEN])))
        x = self.normal(self.add("Add", self.dense(joined, HIDDEN, HIDDEN), x))
        inner = self.gelu(self.dense(x, HIDDEN, INNER))
        return self.normal(self.add("Add", self.dense(inner, INNER, HIDDEN), x))


def bert() -> onnx.ModelProto:
    """Embeddings and two layers."""
    build = Transformer()
    word = build.add("Gather", build.weights(WORDS, HIDDEN), "input_ids")
    segment = build.add("Gather", build.weights(2, HIDDEN), "segment_ids")
    size = build.add("Gather", build.add("Shape", "input_ids"), build.constant(np.array(1)))
    size = build.add("Unsqueeze", size, build.constant(np.array([0])))
    numbers, zero, one = np.arange(POSITIONS)[np.newaxis], np.array([0]), np.array([1])
    axes = [build.constant(array) for array in (numbers, zero, one, one)]
    positions = build.add("Slice", axes[0], axes[1], size, *axes[2:])
    position = build.add("Gather", build.weights(POSITIONS, HIDDEN), positions)
    x = build.normal(build.add("Add", build.add("Add", word, segment), position))
    mask = build.add("Unsqueeze", "input_mask", build.constant(np.array([1])))
    mask = build.add("Unsqueeze", mask, build.constant(np.array([2])))
    mask = build.add("Cast", mask, to=TensorProto.FLOAT)
    mask = build.add("Mul", build.add("Sub", build.number(1), mask), build.number(-10000))
    for _ in range(2):
        x = build.layer(x, mask)
    build.nodes.append(helper.make_node("Identity", [x], ["y"]))
    names = ("input_ids", "segment_ids", "input_mask")
    given = [helper.make_tensor_value_info(n, TensorProto.INT64, ["B", LENGTH]) for n in names]
    result = helper.make_tensor_value_info("y", TensorProto.FLOAT, ["B", LENGTH, HIDDEN])
    graph = helper.make_graph(build.nodes, "bert", given, [result], build.constants)
    opsets = [helper.make_opsetid("", 13)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=8)


@pytest.mark.parametrize("backend", opmill.backends())
def test_bert(backend, tmp_path) -> None:
    original = bert()
    path = tmp_path / "bert.onnx"
    onnx.save(original, path)
    optimizer.optimize_model(
        str(path), model_type="bert", num_heads=HEADS, hidden_size=HIDDEN, opt_level=0
    ).save_model_to_file(str(path))
    fused = onnx.load(path)
    own = {node.op_type for node in fused.graph.node if node.domain == "com.microsoft"}
    assert own >= {"EmbedLayerNormalization", "Attention", "SkipLayerNormalization", "BiasGelu"}
    rng = np.random.default_rng(1)
    feeds = {
        "input_ids": rng.integers(0, WORDS, (2, LENGTH)),
        "segment_ids": rng.integers(0, 2, (2, LENGTH)),
        "input_mask": np.array([[1] * LENGTH, [1] * 5 + [0] * (LENGTH - 5)]),
    }
    narrow = {one.name: one.type.tensor_type.elem_type for one in fused.graph.input}
    fed = {
        name: value.astype(helper.tensor_dtype_to_np_dtype(narrow[name]))
        for name, value in feeds.items()
    }
    with opmill.use_backend(backend):
        (y,) = opmill.Model(fused).run(fed)
        (plain,) = opmill.Model(original).run(feeds)
    np.testing.assert_allclose(y, run_by_onnxruntime(fused, fed)[0], rtol=2e-5, atol=2e-5)
    seen = feeds["input_mask"] == 1  # what is masked out differs by the fused attention's -10000
    np.testing.assert_allclose(y[seen], plain[seen], rtol=1e-4, atol=1e-4)
