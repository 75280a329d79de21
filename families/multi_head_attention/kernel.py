"""The NumPy kernel of MultiHeadAttention: heads apart, the bias added, the past before them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from opmill._runtime.kernels.halves import widened
from opmill._runtime.kernels.scores import attend, by_head, joined, masked_keys

Array = NDArray[Any]


def compute(
    query: Array,
    key: Array,
    value: Array,
    bias: Array | None,
    key_padding_mask: Array | None,
    attention_bias: Array | None,
    past_key: Array | None,
    past_value: Array | None,
    output: Array,
    present_key: Array | None = None,
    present_value: Array | None = None,
    qk: Array | None = None,
    *,
    apart: bool,
    bias_steps: list[int],
    causal: bool,
    filter: float,
    form: int,
    fresh: int,
    heads: int,
    length: int,
    mask_steps: list[int],
    past: int,
    past_rows: int,
    present_rows: int,
    scale: float,
    size: int,
    value_size: int,
) -> None:
    """Write the weighted means of the values to ``output``, and the caches."""
    batch, total, width = query.shape[0], past + fresh, heads * size
    query = _plus(query, bias, 0, width)
    if not apart:
        key = _plus(key, bias, width, 2 * width)
        value = _plus(value, bias, 2 * width, 2 * width + heads * value_size)
        key, value = by_head(key, heads), by_head(value, heads)
    keys = joined(past_key, key, past, present_rows)
    values = joined(past_value, value, past, present_rows)
    if present_key is not None:
        present_key[...] = keys
    if present_value is not None:
        present_value[...] = values
    attend(
        by_head(query, heads),
        keys[:, :, :total],
        values[:, :, :total],
        attention_bias,
        masked_keys(key_padding_mask, form, batch, total),
        by_head(output, heads),
        qk,
        scale=scale,
        filter=filter,
        causal=causal,
        past=past,
    )


def _plus(numbers: Array, bias: Array | None, first: int, end: int) -> Array:
    """The vectors of tokens plus their part of the bias, in their type."""
    if bias is None:
        return numbers
    with np.errstate(all="ignore"):
        return np.asarray((widened(numbers) + widened(bias[first:end])).astype(numbers.dtype))
