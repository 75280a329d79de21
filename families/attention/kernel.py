"""The NumPy kernel of Attention: the queries that share keys, a block at a time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import ml_dtypes
import numpy as np
from numpy.typing import NDArray

from opmill._runtime.kernels.bounds import within
from opmill._runtime.kernels.scores import by_head, joined, softmax

Array = NDArray[Any]

_BLOCK_SCORES = 1 << 20
_PRECISIONS = {
    1: np.dtype(np.float32),
    10: np.dtype(np.float16),
    11: np.dtype(np.float64),
    16: np.dtype(ml_dtypes.bfloat16),
}


def compute(
    Q: Array,
    K: Array,
    V: Array,
    attn_mask: Array | None,
    past_key: Array | None,
    past_value: Array | None,
    nonpad_kv_seqlen: Array | None,
    Y: Array,
    present_key: Array | None = None,
    present_value: Array | None = None,
    qk_matmul_output: Array | None = None,
    *,
    cap: float,
    caps: bool,
    causal: bool,
    fresh: int,
    group: int,
    has_scale: bool,
    kv_heads: int,
    left: int,
    length: int,
    mask_length: int,
    mask_steps: list[int],
    mode: int,
    past: int,
    precision: int,
    repeats_mask: bool,
    right: int,
    scale: float,
    separate: bool,
    size: int,
    value_size: int,
) -> None:
    """Write the weighted means of the values to ``Y``, keys and values to the present ones.

    Raises:
        ContentsError: a length is out of range. Nothing has been written then.
    """
    batch, heads, total = Q.shape[0], group * kv_heads, past + fresh
    lengths = None
    if nonpad_kv_seqlen is not None:
        lengths = within(nonpad_kv_seqlen, "nonpad_kv_seqlen", 0, total)
    if not separate:
        Q, Y = by_head(Q, heads), by_head(Y, heads)
        K, V = by_head(K, kv_heads), by_head(V, kv_heads)
    keys = joined(past_key, K, past, total)
    values = joined(past_value, V, past, total)
    if present_key is not None:
        present_key[...] = keys
    if present_value is not None:
        present_value[...] = values
    if Y.size == 0 and (qk_matmul_output is None or qk_matmul_output.size == 0):
        return
    mask = None
    if attn_mask is not None:
        mask = np.broadcast_to(
            attn_mask, (batch, heads, length, total if repeats_mask else mask_length)
        )
    wide = np.dtype(np.float64 if Q.dtype == np.float64 else np.float32)
    with np.errstate(all="ignore"):  # infinities and NaNs are legal
        root = np.sqrt(scale if has_scale else 1 / np.sqrt(np.float64(size)))
        stages = _Stages(
            factor=float(np.float64(root).astype(Q.dtype)),
            cap=wide.type(cap) if caps else None,
            precision=_PRECISIONS.get(precision, Q.dtype),
            type=Q.dtype,
            wide=wide,
        )
        visible = _Visible(causal, left, right, length, total, past, lengths)
        block = max(1, min(length, _BLOCK_SCORES // max(total, 1)))
        for b in range(batch):
            for head in range(heads):
                key = keys[b, head // group].astype(wide)
                value = values[b, head // group].astype(Q.dtype).astype(wide)
                for first in range(0, length, block):
                    rows = slice(first, min(first + block, length))
                    bias = visible.bias(b, rows, wide)
                    if mask is not None:
                        given = _as_bias(mask[b, head, rows], Q.dtype).astype(wide)
                        bias[:, : given.shape[1]] += given
                        bias[:, given.shape[1] :] = -np.inf
                    shown = None
                    if qk_matmul_output is not None:
                        shown = qk_matmul_output[b, head, rows]
                    weights = stages.weights(Q[b, head, rows], key, bias, mode, shown)
                    Y[b, head, rows] = weights @ value


def _as_bias(mask: Array, type: np.dtype[Any]) -> Array:
    """The term added to the scores: a mask of bools hides where it is false."""
    if mask.dtype == np.bool_:
        return np.asarray(np.where(mask, 0, -np.inf), type)
    return np.asarray(mask, type)


@dataclass(frozen=True)
class _Visible:
    """The keys that lengths and windows leave visible."""

    causal: bool
    left: int
    right: int
    length: int
    total: int
    past: int
    lengths: Array | None

    def bias(self, b: int, rows: slice, wide: np.dtype[Any]) -> Array:
        """0 for the keys that a block of queries may see, minus infinity for the others."""
        end, offset = self.total, self.past
        if self.lengths is not None:
            end = int(self.lengths[b])
            offset = end - self.length
        position = np.arange(rows.start, rows.stop)[:, np.newaxis] + offset
        key = np.arange(self.total)
        hidden = np.broadcast_to(key >= end, (len(position), self.total))
        everything = self.total + self.length
        if self.causal:
            hidden = hidden | (key > position)
        if self.right >= 0:
            hidden = hidden | (key > position + min(self.right, everything))
        if self.left >= 0:
            hidden = hidden | (key < position - min(self.left, everything))
        return np.asarray(np.where(hidden, -np.inf, 0), wide)


@dataclass(frozen=True)
class _Stages:
    """From queries and keys to weights."""

    factor: float
    cap: Any
    precision: np.dtype[Any]
    type: np.dtype[Any]
    wide: np.dtype[Any]

    def weights(
        self, queries: Array, keys: Array, bias: Array, mode: int, shown: Array | None
    ) -> Array:
        """The weights of the values; ``shown`` receives what the mode asks for."""
        scaled = (queries.astype(np.float64) * self.factor * self.factor).astype(self.wide)
        scores = scaled @ keys.T
        if shown is not None and mode == 0:
            shown[...] = scores
        if self.cap is not None:
            scores = np.tanh(scores / self.cap) * self.cap
        if shown is not None and mode == 1:
            shown[...] = scores
        scores = scores + bias
        if shown is not None and mode == 2:
            shown[...] = scores
        weights = np.zeros_like(scores)
        seen = (bias != -np.inf).any(axis=1)
        if seen.any():
            weights[seen] = self._softmax(scores[seen])
        if shown is not None and mode == 3:
            shown[...] = weights
        return weights

    def _softmax(self, scores: Array) -> Array:
        """The shares of 1, rounded where they are computed in a type of their own."""
        if self.precision != self.type:
            scores = scores.astype(self.precision)
        shares = softmax(scores.astype(np.float64))
        if self.precision != self.type:
            shares = shares.astype(self.precision).astype(self.type)
        return np.asarray(shares, self.wide)
