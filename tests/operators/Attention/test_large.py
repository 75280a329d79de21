"""Attention of more queries than are weighed together."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import opmill
from large_tensors import NEEDS_C, each_instruction_set

pytestmark = [NEEDS_C, pytest.mark.usefixtures("threads")]
ATTENTION = opmill.operator("Attention", 23)


def attend(
    q: NDArray[Any],
    k: NDArray[Any],
    v: NDArray[Any],
    hidden: NDArray[np.bool_],
) -> NDArray[Any]:
    """In double; a query that sees nothing has zeros."""
    group = q.shape[1] // k.shape[1]
    keys, values = (np.repeat(x.astype(np.float64), group, 1) for x in (k, v))
    scores = q.astype(np.float64) @ keys.swapaxes(2, 3) / np.sqrt(q.shape[-1])
    weights = np.exp(np.where(hidden, -np.inf, scores - scores.max(-1, keepdims=True)))
    found: NDArray[Any] = weights / np.maximum(weights.sum(-1, keepdims=True), 1e-300) @ values
    return found


@each_instruction_set
@pytest.mark.parametrize("separate", [True, False])
@pytest.mark.parametrize("kind", ["all", "causal", "bool", "float"])
@pytest.mark.parametrize(
    ("heads", "kv_heads", "length", "total"),
    [(2, 2, 37, 128), (4, 2, 150, 60), (2, 1, 19, 2100), (3, 3, 20, 1)],
)
def test_rows_of_scores(
    heads: int, kv_heads: int, length: int, total: int, kind: str, separate: bool,
    instruction_set: str,
) -> None:  # fmt: skip
    random = np.random.default_rng(0)
    q = random.standard_normal((2, heads, length, 16), np.float32)
    k = random.standard_normal((2, kv_heads, total, 16), np.float32)
    v = random.standard_normal((2, kv_heads, total, 16), np.float32)
    hidden = random.random((length, total)) < 0.3
    hidden[[1, length - 1]] = True  # queries among others that see nothing
    masks = {"bool": ~hidden, "float": np.where(hidden, -np.inf, 0).astype(np.float32)}
    if kind == "causal":
        hidden = np.arange(total) > np.arange(length)[:, np.newaxis]
    elif kind == "all":
        hidden[:] = False
    attributes: dict[str, int] = {"is_causal": 1} if kind == "causal" else {}
    inputs: list[NDArray[Any]] = [q, k, v]
    if not separate:
        inputs = [x.swapaxes(1, 2).reshape(2, x.shape[2], -1) for x in inputs]
        attributes |= {"q_num_heads": heads, "kv_num_heads": kv_heads}
    inputs += [masks[kind]] if kind in masks else []
    with opmill.use_instruction_set(instruction_set):
        (found,) = ATTENTION(inputs, attributes)
    expected = attend(q, k, v, hidden)
    if not separate:
        expected = expected.swapaxes(1, 2).reshape(found.shape)
    np.testing.assert_allclose(found, expected, rtol=2e-5, atol=2e-6)
