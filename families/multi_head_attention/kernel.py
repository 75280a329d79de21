"""The NumPy kernel of MultiHeadAttention: heads apart, the bias added, the past before them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from opmill._runtime.kernels.halves import widened
from opmill._runtime.kernels.scores import attend, masked_keys

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
    queries = query.reshape(batch, length, heads, size).swapaxes(1, 2)
    keys = _joined(past_key, key, (batch, heads, present_rows, size), past)
    values = _joined(past_value, value, (batch, heads, present_rows, value_size), past)
    if present_key is not None:
        present_key[...] = keys
    if present_value is not None:
        present_value[...] = values
    attend(
        queries,
        keys[:, :, :total],
        values[:, :, :total],
        attention_bias,
        masked_keys(key_padding_mask, form, batch, total),
        output.reshape(batch, length, heads, value_size).swapaxes(1, 2),
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


def _joined(before: Array | None, fresh: Array, shape: tuple[int, ...], past: int) -> Array:
    """The rows of the past and the new ones, in place of those of a buffer from ``past`` on."""
    batch, heads, _, size = shape
    if fresh.ndim == 3:
        fresh = fresh.reshape(batch, fresh.shape[1], heads, size).swapaxes(1, 2)
    result = np.zeros(shape, fresh.dtype)
    if before is not None:
        result[:, :, : before.shape[2]] = before
    result[:, :, past : past + fresh.shape[2]] = fresh
    return result
