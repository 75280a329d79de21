"""A small decoder-only language model with caches, token by token beside onnxruntime.

Its nodes are those that builders of such models for onnxruntime write; weights are random.
"""

from __future__ import annotations

import numpy as np
import onnxruntime as ort
import pytest
from onnx import TensorProto, helper, numpy_helper

import opmill

WORDS, HIDDEN, INNER, HEADS, SHARED, SIZE, LAYERS, POSITIONS = 40, 64, 96, 4, 2, 16, 2, 32
BLOCK = 32
DOMAIN = "com.microsoft"


class Builder:
    """Nodes and constants of the model."""

    def __init__(self) -> None:
        self.rng = np.random.default_rng(11)
        self.nodes: list[object] = []
        self.constants: list[object] = []

    def constant(self, name: str, array: np.ndarray) -> str:
        self.constants.append(numpy_helper.from_array(array, name))
        return name

    def add(self, op: str, inputs: list[str], outputs: list[str], domain: str = DOMAIN, **given):
        self.nodes.append(helper.make_node(op, inputs, outputs, domain=domain, **given))
        return outputs[0]

    def gamma(self, name: str) -> str:
        return self.constant(name, self.rng.uniform(0.5, 1.5, HIDDEN).astype(np.float32))

    def project(self, x: str, name: str, depth: int, columns: int) -> str:
        """A product with weights of four bits."""
        blocks = depth // BLOCK
        codes = self.rng.integers(0, 256, (columns, blocks, BLOCK // 2), np.uint8)
        scales = self.rng.uniform(0.02, 0.08, (columns, blocks)).astype(np.float32)
        inputs = [x, self.constant(f"{name}_codes", codes), self.constant(f"{name}_scales", scales)]
        return self.add("MatMulNBits", inputs, [name], K=depth, N=columns, bits=4, block_size=BLOCK)

    def skip(self, x: str, residual: str, name: str) -> tuple[str, str]:
        """The normalized sum, and the sum."""
        outputs = [f"{name}_normal", "", "", f"{name}_sum"]
        inputs = [x, residual, self.gamma(f"{name}_gamma")]
        self.add("SkipSimplifiedLayerNormalization", inputs, outputs, epsilon=1e-6)
        return outputs[0], outputs[3]

    def layer(self, x: str, residual: str, k: int) -> tuple[str, str]:
        packed = self.project(x, f"qkv{k}", HIDDEN, (HEADS + 2 * SHARED) * SIZE)
        inputs = [packed, "", "", f"past_key{k}", f"past_value{k}", "last", "total", "cos", "sin"]
        mixed = self.add(
            "GroupQueryAttention",
            inputs,
            [f"mixed{k}", f"key{k}", f"value{k}"],
            num_heads=HEADS,
            kv_num_heads=SHARED,
            do_rotary=1,
            local_window_size=-1 if k == 0 else 6,
        )
        x, residual = self.skip(self.project(mixed, f"o{k}", HIDDEN, HIDDEN), residual, f"a{k}")
        gate = self.project(x, f"gate{k}", HIDDEN, INNER)
        gate = self.add("QuickGelu", [gate], [f"silu{k}"], alpha=1.0)
        up = self.project(x, f"up{k}", HIDDEN, INNER)
        inner = self.add("Mul", [gate, up], [f"inner{k}"], "")
        return self.skip(self.project(inner, f"down{k}", INNER, HIDDEN), residual, f"b{k}")


def language_model():
    build = Builder()
    table = build.rng.standard_normal((WORDS, HIDDEN), np.float32)
    angles = np.arange(POSITIONS)[:, None] / 100.0 ** (np.arange(SIZE // 2) / (SIZE // 2))
    build.constant("cos", np.cos(angles).astype(np.float32))
    build.constant("sin", np.sin(angles).astype(np.float32))
    residual = build.add("Gather", [build.constant("table", table), "ids"], ["words"], "")
    gamma = build.gamma("first_gamma")
    inputs = [residual, gamma]
    x = build.add("SimplifiedLayerNormalization", inputs, ["first"], "", epsilon=1e-6)
    for k in range(LAYERS):
        x, residual = build.layer(x, residual, k)
    build.project(x, "logits", HIDDEN, WORDS)
    info = helper.make_tensor_value_info
    inputs = [
        info("ids", TensorProto.INT64, ["batch", "length"]),
        info("last", TensorProto.INT32, ["batch"]),
        info("total", TensorProto.INT32, []),
    ]
    outputs = [info("logits", TensorProto.FLOAT, ["batch", "length", WORDS])]
    for k in range(LAYERS):
        for name in (f"key{k}", f"value{k}"):
            past = ["batch", SHARED, "past", SIZE]
            inputs.append(info(f"past_{name}", TensorProto.FLOAT, past))
            present = ["batch", SHARED, "present", SIZE]
            outputs.append(info(name, TensorProto.FLOAT, present))
    graph = helper.make_graph(build.nodes, "g", inputs, outputs, initializer=build.constants)
    opsets = [helper.make_opsetid("", 21), helper.make_opsetid(DOMAIN, 1)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=10)


def generated(run, prompt, lengths, tokens, rows):
    """The logits of a prompt and of each token behind it, which are the likeliest ones.

    Args:
        run: computes logits and caches.
        prompt: the first words, padded.
        lengths: how many of them each batch entry has.
        tokens: how many follow.
        rows: of the caches, or 0 where they grow.
    """
    batch, length = prompt.shape
    empty = np.zeros((batch, SHARED, rows, SIZE), np.float32)
    caches = {f"past_{name}{k}": empty for k in range(LAYERS) for name in ("key", "value")}
    ids, last, total = prompt, lengths - 1, length
    found = []
    for _ in range(tokens + 1):
        logits, *present = run(
            {
                "ids": ids,
                "last": last.astype(np.int32),
                "total": np.array(total, np.int32),
                **caches,
            }
        )
        caches = dict(zip(caches, present, strict=True))
        rows_of = last if ids.shape[1] > 1 else np.zeros_like(last)
        logits = logits[np.arange(batch), rows_of]
        found.append(logits)
        ids = logits.argmax(axis=1)[:, np.newaxis].astype(np.int64)
        last, total = last + 1, total + 1
    return np.array(found)


@pytest.mark.parametrize("backend", opmill.backends())
@pytest.mark.parametrize("rows", [0, POSITIONS])
def test_tokens_are_those_of_onnxruntime(backend, rows):
    """Caches that grow by a row, of prompts of one length; and buffers, of prompts that differ."""
    model = language_model()
    session = ort.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    prompt = np.random.default_rng(3).integers(0, WORDS, (2, 5))
    lengths = np.array([5, 5 if rows == 0 else 3])
    with opmill.use_backend(backend):
        ours = generated(opmill.Model(model).run, prompt, lengths, 12, rows)
    theirs = generated(lambda inputs: session.run(None, inputs), prompt, lengths, 12, rows)
    assert len({tuple(row) for row in ours.argmax(axis=2)}) > 3  # it does not repeat one word
    np.testing.assert_allclose(ours, theirs, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("rows", [0, POSITIONS])
def test_tokens_without_nodes_of_other_domains(rows):
    """The converted model gives the same tokens, in onnxruntime too."""
    model = language_model()
    freed = opmill.convert(model, domain="ai.onnx")
    assert {node.domain for node in freed.graph.node} == {""}
    prompt = np.random.default_rng(3).integers(0, WORDS, (2, 5))
    lengths = np.array([5, 5 if rows == 0 else 3])
    wanted = generated(opmill.Model(model).run, prompt, lengths, 6, rows)
    session = ort.InferenceSession(freed.SerializeToString(), providers=["CPUExecutionProvider"])
    for run in (opmill.Model(freed).run, lambda inputs: session.run(None, inputs)):
        found = generated(run, prompt, lengths, 6, rows)
        np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-4)
