"""Rotations of heads, alone and in GroupQueryAttention, at opsets that lack RotaryEmbedding."""

from __future__ import annotations

import numpy as np
import pytest
from onnx import checker, numpy_helper, parser

import opmill

ROTARY = (
    '<ir_version: 10, opset_import: ["" : 23]>'
    "g (float[%d, 3, 32] x, int64[%d, 3] p) => (float[%d, 3, 32] y)"
    "{ y = RotaryEmbedding<num_heads = 2, rotary_embedding_dim = %d, interleaved = %d>"
    "(x, c, s, p) }"
)
GROUPED = (
    '<ir_version: 10, opset_import: ["" : %d, "com.microsoft" : 1]>'
    "g (float[%d, 1, 64] q, float[%d, 1, 32] k, float[%d, 1, 32] v, float[%d, 2, 4, 16] past_k,"
    " float[%d, 2, 4, 16] past_v, int32[%d] last, int32 total, float[4] sink)"
    " => (float[%d, 1, 64] y, float[%d, 2, 5, 16] new_k, float[%d, 2, 5, 16] new_v)"
    "{ y, new_k, new_v = com.microsoft.GroupQueryAttention<num_heads = 4, kv_num_heads = 2,"
    " do_rotary = 1>(q, k, v, past_k, past_v, last, total, c, s, , , sink) }"
)


def tables(rows: int, columns: int) -> dict[str, np.ndarray]:
    random = np.random.default_rng(5)
    return {name: random.uniform(-1, 1, (rows, columns)).astype(np.float32) for name in "cs"}


@pytest.mark.parametrize("batch", [0, 2])
@pytest.mark.parametrize("part", [0, 8])
@pytest.mark.parametrize("interleaved", [0, 1])
def test_rotation(batch: int, part: int, interleaved: int):
    text = ROTARY % (batch, batch, batch, part, interleaved)
    written = parser.parse_model(text)
    for name, array in tables(6, (part or 16) // 2).items():
        written.graph.initializer.append(numpy_helper.from_array(array, name))
    random = np.random.default_rng(7)
    x = random.standard_normal((batch, 3, 32)).astype(np.float32)
    feeds = [x, random.integers(0, 6, (batch, 3))]
    (wanted,) = opmill.Model(written).run(feeds)
    assert batch == 0 or not np.allclose(wanted, x)
    for opset in (22, 17, 13):
        done = opmill.convert(written, opset)
        checker.check_model(done, full_check=True)
        (found,) = opmill.Model(done).run(feeds)
        np.testing.assert_allclose(found, wanted, 1e-5, 1e-6)


@pytest.mark.parametrize("batch", [0, 2])
@pytest.mark.parametrize("opset", [13, 17, 21, 25])
def test_attention_with_rotation(batch: int, opset: int):
    written = parser.parse_model(GROUPED % (opset, *(batch,) * 9))
    for name, array in tables(6, 8).items():
        written.graph.initializer.append(numpy_helper.from_array(array, name))
    random = np.random.default_rng(9)
    shapes = ((batch, 1, 64), (batch, 1, 32), (batch, 1, 32), (batch, 2, 4, 16), (batch, 2, 4, 16))
    feeds = [random.standard_normal(shape).astype(np.float32) for shape in shapes]
    feeds += [np.full(batch, 4, np.int32), np.array(5, np.int32)]
    feeds.append(random.standard_normal(4).astype(np.float32))
    done = opmill.convert(written, domain="ai.onnx")
    checker.check_model(done, full_check=True)
    assert {node.domain for node in done.graph.node} == {""}
    for found, wanted in zip(
        opmill.Model(done).run(feeds), opmill.Model(written).run(feeds), strict=True
    ):
        np.testing.assert_allclose(found, wanted, 1e-5, 1e-6)
