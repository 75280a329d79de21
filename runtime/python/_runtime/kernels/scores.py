"""Attention by NumPy: heads and caches, masks of keys, weights, and the means of values."""

from __future__ import annotations

from typing import Any

import numpy as np

from opmill._runtime.kernels.halves import widened
from opmill._runtime.types import Array

ENDS, RANGES, CELLS = 1, 2, 3
"""The forms of a mask of keys, as rules number them."""


def by_head(vectors: Array, heads: int) -> Array:
    """View of the vectors of tokens by batch entry, head and token."""
    batch, length, width = vectors.shape
    return vectors.reshape(batch, length, heads, width // heads).swapaxes(1, 2)


def joined(past: Array | None, fresh: Array, start: int, rows: int) -> Array:
    """Rows of the past, the new ones in place of those from ``start`` on, zeros behind them."""
    if past is None and fresh.shape[-2] == rows:
        return fresh
    result = np.zeros((*fresh.shape[:-2], rows, fresh.shape[-1]), fresh.dtype)
    if past is not None:
        result[..., : past.shape[-2], :] = past
    result[..., start : start + fresh.shape[-2], :] = fresh
    return result


def wide(numbers: Array) -> Array:
    """The numbers in float64."""
    return widened(numbers).astype(np.float64)


def softmax(scores: Array, sink: Any = None) -> Array:
    """Shares of 1 for each query, less that of the sink; NaN where all scores are -infinity."""
    largest = scores.max(axis=1, keepdims=True)
    if sink is not None:
        largest = np.maximum(largest, sink)
    powers = np.exp(scores - largest)
    sums = powers.sum(axis=1, keepdims=True)
    if sink is not None:
        sums = sums + np.exp(sink - largest)
    return np.asarray(powers / sums)


def masked_keys(mask: Array | None, form: int, batch: int, total: int) -> Array | None:
    """The keys that a mask names, by batch entry, query (or one for all) and key."""
    if mask is None:
        return None
    if form == CELLS:
        return np.asarray((mask[:, np.newaxis] if mask.ndim == 2 else mask) <= 0)
    keys = np.arange(total)
    masked = keys >= mask[:batch, np.newaxis, np.newaxis]
    if form == RANGES:
        masked = masked | (keys < mask[batch : 2 * batch, np.newaxis, np.newaxis])
    return np.asarray(masked)


def attend(
    queries: Array,
    keys: Array,
    values: Array,
    bias: Array | None,
    masked: Array | None,
    result: Array,
    shown: Array | None,
    *,
    scale: float,
    filter: float,
    causal: bool,
    past: int,
) -> None:
    """Write the means of the values, and the scores where they are requested.

    Args:
        queries: by batch entry, head and token, as ``keys`` and ``values``.
        bias: what is added to scores; its first two axes may have size 1.
        masked: which keys are masked, from `masked_keys`.
        result: the means, by batch entry, head and query.
        shown: the scores, by batch entry, head, query and key.
        scale: the factor of products; 0 for the default.
        filter: what is added to the scores of masked keys.
        causal: whether a query sees no key behind its own.
        past: the number of keys before that of the first query.
    """
    batch, heads, length, size = queries.shape
    total = keys.shape[2]
    if not total:
        result[...] = 0
        return
    factor = scale if scale != 0 else 1 / np.sqrt(np.float64(size))
    hidden = np.arange(total) > np.arange(length)[:, np.newaxis] + past
    added = None if bias is None else np.broadcast_to(bias, (batch, heads, length, total))
    with np.errstate(all="ignore"):  # infinities and NaNs are legal
        for b in range(batch):
            for h in range(heads):
                products = (wide(queries[b, h]) * factor) @ wide(keys[b, h]).T
                sums = np.zeros((length, total)) if added is None else wide(added[b, h])
                if causal:
                    sums = np.where(hidden, -np.inf, sums)
                shift = np.zeros((length, 1))
                if masked is not None:
                    sums, shift = _filtered(sums, masked[b], filter)
                scores = products + sums
                if shown is not None:
                    shown[b, h] = (scores + shift).astype(shown.dtype)
                weights = softmax(scores)
                weights[np.all(sums == -np.inf, axis=1)] = 0
                result[b, h] = (weights @ wide(values[b, h])).astype(result.dtype)


def _filtered(sums: Array, masked: Array, filter: float) -> tuple[Array, Array]:
    """Return the term to add to scores, less a number for each query, and that number.

    It is the filter where weights rest on masked keys alone: so scores keep their digits.
    """
    masked = np.broadcast_to(masked, sums.shape)
    counts = sums != -np.inf
    alone = np.any(counts & masked, axis=1) & ((filter > 0) | ~np.any(counts & ~masked, axis=1))
    shift = np.where(alone & np.isfinite(filter), filter, 0.0)[:, np.newaxis]
    return sums + np.where(masked, np.where(shift != 0, 0, filter), -shift), shift
