"""The NumPy kernel of Slice: elements are copied, never computed with."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray


def compute(
    data: NDArray[Any], output: NDArray[Any], *, first: Sequence[int], step: Sequence[int]
) -> None:
    """Write the elements from ``first`` on, ``step`` apart, to ``output``."""
    if output.size == 0:
        return
    if data.dtype.kind == "V":
        # The types of ml_dtypes: NumPy copies what it does not know one element at a time.
        bits = f"u{data.itemsize}"
        data, output = data.view(bits), output.view(bits)
    slices: list[Any] = []
    for start, stride, count in zip(first, step, output.shape, strict=True):
        end = start + (count - 1) * stride + (1 if stride > 0 else -1)
        slices.append(slice(start, end if end >= 0 else None, stride))
    index: tuple[Any, ...] = (*slices, ...)  # of a scalar too, an array
    np.copyto(output, data[index])
