"""The NumPy kernel of GroupQueryAttention: one head of one batch entry after the other."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from opmill._runtime.kernels.bounds import within
from opmill._runtime.kernels.scores import by_head, joined, softmax, wide

Array = NDArray[Any]


def compute(
    query: Array,
    key: Array | None,
    value: Array | None,
    past_key: Array | None,
    past_value: Array | None,
    seqlens_k: Array,
    cos_cache: Array | None,
    sin_cache: Array | None,
    position_ids: Array | None,
    attention_bias: Array | None,
    head_sink: Array | None,
    output: Array,
    present_key: Array | None = None,
    present_value: Array | None = None,
    output_qk: Array | None = None,
    *,
    bias_steps: list[int],
    cap: float,
    causal: bool,
    fresh: int,
    group: int,
    interleaved: bool,
    kv_heads: int,
    length: int,
    packed: bool,
    pairs: int,
    past_rows: int,
    present_rows: int,
    rotates: bool,
    scale: float,
    scores: int,
    size: int,
    smooth: bool,
    total: int,
    window: int,
) -> None:
    """Write the weighted means of the values to ``output``, and the caches.

    Raises:
        ContentsError: a length or a position is out of range. Nothing has been written then.
    """
    batch, heads, starts = query.shape[0], group * kv_heads, length == total
    last = within(seqlens_k, "seqlens_k", 0 if starts else length - 1, total - 1).reshape(-1)
    ends = last.astype(np.int64) + 1
    first = np.zeros_like(ends) if starts else ends - length
    queries, keys, values = _apart(query, key, value, heads, kv_heads, size)
    if rotates and cos_cache is not None and sin_cache is not None:
        rows = _positions(position_ids, first, length, cos_cache.shape[0], starts)
        tables = cos_cache[rows], sin_cache[rows]
        queries = _rotated(queries, *tables, interleaved)
        if fresh:
            keys = _rotated(keys, *tables, interleaved)
    left = np.full_like(ends, 0) if starts and fresh else ends - fresh
    all_keys = _cache(past_key, keys, left, present_rows)
    all_values = _cache(past_value, values, left, present_rows)
    if present_key is not None:
        present_key[...] = all_keys
    if present_value is not None:
        present_value[...] = all_values
    bias = None
    if attention_bias is not None:
        bias = np.broadcast_to(attention_bias, (batch, heads, length, total))
    if output_qk is not None:
        output_qk[...] = 0
    result = output.reshape(batch, length, heads, size)
    factor = scale if scale != 0 else 1 / np.sqrt(np.float64(size))
    with np.errstate(all="ignore"):  # infinities and NaNs are legal
        for b in range(batch):
            end = int(ends[b])
            visible = _visible(int(first[b]) + np.arange(length), end, causal, window)
            for head in range(heads):
                part = all_keys[b, head // group, :end]
                products = (wide(queries[b, head]) * factor) @ wide(part).T
                if cap > 0:
                    products = np.tanh(products / cap) * cap
                if bias is not None:
                    products = products + wide(bias[b, head, :, :end])
                sink = wide(head_sink)[head] if head_sink is not None else 0.0 if smooth else None
                products = np.where(visible, products, -np.inf)
                weights = softmax(products, sink)
                weights[~visible | np.all(products == -np.inf, axis=1, keepdims=True)] = 0
                means = weights @ wide(all_values[b, head // group, :end])
                result[b, :, head] = means.astype(output.dtype)
                if output_qk is not None and scores:
                    shown = np.where(visible, products, 0) if scores == 1 else weights
                    output_qk[b, head, :, :end] = shown.astype(output.dtype)


def _apart(
    query: Array, key: Array | None, value: Array | None, heads: int, kv_heads: int, size: int
) -> tuple[Array, Array, Array]:
    """Queries, keys and values by batch entry, head and token."""
    if key is None or value is None:
        ends = [heads * size, (heads + kv_heads) * size]
        query, key, value = np.split(query, ends, axis=2)
    return by_head(query, heads), by_head(key, kv_heads), by_head(value, kv_heads)


def _positions(
    position_ids: Array | None, first: Array, length: int, rows: int, starts: bool
) -> Array:
    """The row of the tables for each token; a prompt counts from the first position given."""
    steps = np.arange(length)
    if position_ids is None or position_ids.size == 0:
        return np.asarray(first[:, np.newaxis] + steps)
    if starts:
        begin = within(position_ids[:1, :1], "position_ids", 0, rows - length)
        return np.broadcast_to(begin[0, 0] + steps, (len(first), length))
    return within(position_ids, "position_ids", 0, rows - 1)


def _rotated(heads: Array, cosine: Array, sine: Array, interleaved: bool) -> Array:
    """All heads with their first elements rotated, in their type."""
    pairs = cosine.shape[2]
    first, second = slice(0, pairs), slice(pairs, 2 * pairs)
    if interleaved:
        first, second = slice(0, 2 * pairs, 2), slice(1, 2 * pairs, 2)
    result = heads.copy()
    with np.errstate(all="ignore"):
        c, s = wide(cosine)[:, np.newaxis], wide(sine)[:, np.newaxis]
        a, b = wide(heads[..., first]), wide(heads[..., second])
        result[..., first] = (c * a - s * b).astype(heads.dtype)
        result[..., second] = (s * a + c * b).astype(heads.dtype)
    return result


def _cache(past: Array | None, fresh: Array, left: Array, rows: int) -> Array:
    """The cache: of the past the rows that are left, the new rows, zeros."""
    result = np.empty((*fresh.shape[:2], rows, fresh.shape[3]), fresh.dtype)
    for b, count in enumerate(left):
        before = None if past is None else past[b, :, :count]
        result[b] = joined(before, fresh[b], count, rows)
    return result


def _visible(positions: Array, end: int, causal: bool, window: int) -> Array:
    """Mask of the keys that a query sees: none behind it, and only the last ones of a window."""
    keys = np.arange(end)
    if not causal:
        return np.ones((len(positions), end), bool)
    visible = keys <= positions[:, np.newaxis]
    if window >= 0:
        visible = visible & (keys > positions[:, np.newaxis] - min(window, end + len(positions)))
    return np.asarray(visible)
