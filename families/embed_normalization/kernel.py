"""The NumPy kernel of embeddings that are added and normalised."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from opmill._runtime.kernels.bounds import within
from opmill._runtime.kernels.halves import widened
from opmill._runtime.kernels.normalize import mean_and_variance

Array = NDArray[Any]


def compute(
    input_ids: Array,
    segment_ids: Array | None,
    word_embedding: Array,
    position_embedding: Array,
    segment_embedding: Array | None,
    gamma: Array,
    beta: Array,
    mask: Array | None,
    position_ids: Array | None,
    word_embedding_scale: Array | None,
    position_embedding_scale: Array | None,
    segment_embedding_scale: Array | None,
    gamma_scale: Array | None,
    beta_scale: Array | None,
    word_embedding_zero_point: Array | None,
    position_embedding_zero_point: Array | None,
    segment_embedding_zero_point: Array | None,
    gamma_zero_point: Array | None,
    beta_zero_point: Array | None,
    output: Array,
    mask_index: Array | None = None,
    embedding_sum: Array | None = None,
    *,
    epsilon: float,
) -> None:
    """Write the normalised sum, the number of ones of each row of the mask, and the sum.

    Raises:
        ContentsError: an index is out of range. Nothing has been written then.
    """
    ids = within(input_ids, "input_ids", 0, len(word_embedding) - 1)
    positions = np.arange(input_ids.shape[1])[np.newaxis]
    if position_ids is not None:
        positions = within(position_ids, "position_ids", 0, len(position_embedding) - 1)
    segments = np.zeros_like(ids)  # without numbers, all words are of the first segment
    if segment_ids is not None and segment_embedding is not None:
        segments = within(segment_ids, "segment_ids", 0, len(segment_embedding) - 1)
    with np.errstate(all="ignore"):  # infinities and NaNs are legal
        total = _real(word_embedding[ids], word_embedding_scale, word_embedding_zero_point)
        total = total + _real(
            position_embedding[positions], position_embedding_scale, position_embedding_zero_point
        )
        if segment_embedding is not None:
            rows = segment_embedding[segments]
            total = total + _real(rows, segment_embedding_scale, segment_embedding_zero_point)
        wide = total.astype(np.float64)
        mean, variance = mean_and_variance(wide, (2,))
        result = (wide - mean) * (1 / np.sqrt(variance + epsilon))
        result = result * _real(gamma, gamma_scale, gamma_zero_point).astype(np.float64)
        result = result + _real(beta, beta_scale, beta_zero_point).astype(np.float64)
        output[...] = result.astype(np.float32).astype(output.dtype)
        if embedding_sum is not None:
            embedding_sum[...] = total.astype(embedding_sum.dtype)
    if mask_index is not None:
        mask_index[...] = 0 if mask is None else (mask == 1).sum(axis=1)


def _real(numbers: Array, scale: Array | None, zero_point: Array | None) -> Array:
    """The numbers as floats; those with a scale less their zero point, times the scale."""
    if scale is None or zero_point is None:
        return widened(numbers)
    moved = numbers.astype(np.float32) - np.float32(zero_point.reshape(()))
    scaled: Array = moved * np.float32(scale.reshape(()))
    return scaled
