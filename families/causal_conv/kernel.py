"""The NumPy kernel of CausalConvWithState: a product for each element of a kernel, in float32."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from opmill._runtime.kernels.functions import swish
from opmill._runtime.kernels.indices import movable


def compute(
    input: NDArray[Any],
    weight: NDArray[Any],
    bias: NDArray[Any] | None,
    past_state: NDArray[Any] | None,
    output: NDArray[Any],
    present_state: NDArray[Any],
    *,
    activates: bool,
    size: int,
) -> None:
    """Write the convolution to ``output``, the last elements to ``present_state``."""
    length = input.shape[2]
    if output.size == 0 and present_state.size == 0:
        return
    past = np.zeros_like(present_state) if past_state is None else past_state
    target = movable(present_state)  # what is carried on keeps its bits
    past_length = max(size - 1 - length, 0)
    target[:, :, :past_length] = movable(past)[:, :, size - 1 - past_length :]
    target[:, :, past_length:] = movable(input)[:, :, length - (size - 1 - past_length) :]
    if output.size == 0:
        return
    with np.errstate(all="ignore"):  # infinities and NaNs are legal
        whole = np.concatenate((past, input), axis=2).astype(np.float32)
        sums = np.zeros(input.shape, np.float32)
        if bias is not None:
            sums += bias.astype(np.float32)[:, np.newaxis]
        for k in range(size):
            sums += whole[:, :, k : k + length] * weight[:, :, k].astype(np.float32)
        output[...] = swish(sums, 1.0) if activates else sums
