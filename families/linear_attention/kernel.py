"""The NumPy kernel of LinearAttention: all heads of all batch entries, token by token."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from opmill._runtime.kernels.indices import movable

Array = NDArray[Any]


def compute(
    query: Array,
    key: Array,
    value: Array,
    past_state: Array | None,
    decay: Array | None,
    beta: Array | None,
    output: Array,
    present_state: Array,
    *,
    decays_rows: bool,
    group: int,
    has_scale: bool,
    heads: int,
    scale: float,
    shares_beta: bool,
    size: int,
    value_size: int,
) -> None:
    """Write what the queries read to ``output``, the last states to ``present_state``."""
    batch, length = query.shape[:2]
    if length == 0:  # what is carried on keeps its bits
        past = np.zeros_like(present_state) if past_state is None else past_state
        movable(present_state)[...] = movable(past)
        return
    if output.size == 0:
        return
    state = np.zeros(present_state.shape, np.float32)
    if past_state is not None:
        state[...] = past_state
    result = output.reshape(batch, length, heads, group, value_size)
    with np.errstate(all="ignore"):  # infinities and NaNs are legal
        factor = np.float32(scale if has_scale else 1 / np.sqrt(np.float64(size)))
        for t in range(length):
            queries = _heads(query[:, t], heads * group, size).reshape(batch, heads, group, size)
            keys = _heads(key[:, t], heads, size)
            values = _heads(value[:, t], heads, value_size)
            if decay is not None:
                row = _heads(decay[:, t], heads, size if decays_rows else 1)
                state = state * np.exp(row)[..., np.newaxis]
            if beta is not None:
                rate = _heads(beta[:, t], 1 if shares_beta else heads, 1)
                values = rate * (values - (keys[:, :, np.newaxis] @ state)[:, :, 0])
            state = state + keys[..., np.newaxis] * values[:, :, np.newaxis]
            result[:, t] = queries @ state * factor
        present_state[...] = state


def _heads(token: Array, heads: int, size: int) -> Array:
    """The numbers of a token by heads, in float32."""
    return token.reshape(len(token), heads, size).astype(np.float32)
