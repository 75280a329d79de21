"""The NumPy kernel of Col2Im: one element of all blocks after the other."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
from numpy.typing import NDArray


def compute(
    input: NDArray[Any],
    output: NDArray[Any],
    *,
    block: list[int],
    blocks: list[int],
    strides: list[int],
    dilations: list[int],
    begin: list[int],
) -> None:
    """Add the blocks up in ``output``; floats in double, which rounds once at the end."""
    if output.size == 0 or input.size == 0:
        output[...] = False
        return
    sums = output
    if output.dtype.kind == "c":
        sums = np.zeros(output.shape, np.complex128)
    elif output.dtype.kind not in "iub":
        sums = np.zeros(output.shape, np.float64)
    else:
        output[...] = False
    columns = input.reshape(*output.shape[:2], -1, input.shape[2])
    with np.errstate(all="ignore"):  # infinities, NaNs and integers that wrap around are legal
        for k, index in enumerate(itertools.product(*map(range, block))):
            source: list[Any] = [slice(None), slice(None)]
            target: list[Any] = [slice(None), slice(None)]
            for i, at in enumerate(index):
                shift = at * dilations[i] - begin[i]
                first = max(0, -(shift // strides[i]))
                last = min(blocks[i] - 1, (output.shape[2 + i] - 1 - shift) // strides[i])
                source.append(slice(first, max(first, last + 1)))
                start = first * strides[i] + shift
                end = last * strides[i] + shift + 1
                target.append(slice(start, max(start, end), strides[i]))
            elements = columns[:, :, k].reshape(*output.shape[:2], *blocks)[tuple(source)]
            sums[tuple(target)] += elements.astype(sums.dtype, copy=False)
        if sums is not output:
            output[...] = sums.astype(output.dtype)
