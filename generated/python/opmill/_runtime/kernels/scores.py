"""Attention of com.microsoft, by NumPy: masks of keys, and the means of values."""

from __future__ import annotations

import numpy as np

from opmill._runtime.kernels.halves import widened
from opmill._runtime.types import Array

ENDS, RANGES, CELLS = 1, 2, 3
"""The forms of a mask of keys, as rules number them."""


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
                products = (_wide(queries[b, h]) * factor) @ _wide(keys[b, h]).T
                sums = np.zeros((length, total)) if added is None else _wide(added[b, h])
                if causal:
                    sums = np.where(hidden, -np.inf, sums)
                shift = np.zeros((length, 1))
                if masked is not None:
                    sums, shift = _filtered(sums, masked[b], filter)
                scores = products + sums
                if shown is not None:
                    shown[b, h] = (scores + shift).astype(shown.dtype)
                weights = _softmax(scores, np.all(sums == -np.inf, axis=1))
                result[b, h] = (weights @ _wide(values[b, h])).astype(result.dtype)


def _wide(numbers: Array) -> Array:
    return widened(numbers).astype(np.float64)


def _filtered(sums: Array, masked: Array, filter: float) -> tuple[Array, Array]:
    """Return the term to add to scores, less a number for each query, and that number.

    It is the filter where weights rest on masked keys alone: so scores keep their digits.
    """
    masked = np.broadcast_to(masked, sums.shape)
    counts = sums != -np.inf
    alone = np.any(counts & masked, axis=1) & ((filter > 0) | ~np.any(counts & ~masked, axis=1))
    shift = np.where(alone & np.isfinite(filter), filter, 0.0)[:, np.newaxis]
    return sums + np.where(masked, np.where(shift != 0, 0, filter), -shift), shift


def _softmax(scores: Array, blind: Array) -> Array:
    """The weights; 0 for the queries that see nothing."""
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    weights = powers / powers.sum(axis=1, keepdims=True)
    weights[blind] = 0
    return np.asarray(weights)
