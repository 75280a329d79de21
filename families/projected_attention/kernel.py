"""The NumPy kernel of com.microsoft's Attention: a product, its columns apart, the past before."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from opmill._runtime.kernels.halves import widened
from opmill._runtime.kernels.quantized import whole, wrapped
from opmill._runtime.kernels.scores import attend, by_head, masked_keys

Array = NDArray[Any]


def compute(
    input: Array,
    weights: Array,
    bias: Array | None,
    mask_index: Array | None,
    past: Array | None,
    attention_bias: Array | None,
    input_scale: Array | None,
    weight_scale: Array | None,
    input_zero_point: Array | None,
    weight_zero_point: Array | None,
    output: Array,
    present: Array | None = None,
    *,
    bias_steps: list[int],
    causal: bool,
    filter: float,
    form: int,
    heads: int,
    length: int,
    mask_steps: list[int],
    past_rows: int,
    scale: float,
    size: int,
    value_size: int,
    width: int,
) -> None:
    """Write the weighted means of the values to ``output``, and all keys and values."""
    batch, total = input.shape[0], past_rows + length
    with np.errstate(all="ignore"):  # infinities and NaNs are legal
        if input_scale is None or weight_scale is None:
            product = widened(input) @ widened(weights)
        else:
            zero_point = None if input_zero_point is None else input_zero_point.reshape(())
            sums = wrapped(whole(input, zero_point) @ whole(weights, weight_zero_point))
            factors = widened(input_scale).reshape(()) * widened(weight_scale)
            product = sums.astype(np.float32) * factors
        if bias is not None:
            product = product + widened(bias)
        product = product.astype(output.dtype)
    ends = [heads * size, 2 * heads * size]
    queries, keys, values = (by_head(part, heads) for part in np.split(product, ends, axis=2))
    if past is not None:
        keys, values = np.concatenate([past, [keys, values]], axis=3)
    if present is not None:
        present[0], present[1] = keys, values
    attend(
        queries,
        keys,
        values,
        attention_bias,
        masked_keys(mask_index, form, batch, total),
        by_head(output, heads),
        None,
        scale=scale,
        filter=filter,
        causal=causal,
        past=past_rows,
    )
