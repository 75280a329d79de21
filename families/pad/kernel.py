"""The NumPy kernel of Pad and CenterCropPad: elements are copied, never computed with."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray


def compute(
    data: NDArray[Any],
    constant_value: NDArray[Any] | None,
    output: NDArray[Any],
    *,
    mode: str,
    begin: Sequence[int],
    value: float,
) -> None:
    """Write ``data``, with ``begin`` elements more before each axis, to ``output``."""
    if output.size == 0:
        return
    fill: Any = "" if output.dtype.kind in "OSTU" else value
    if constant_value is not None:
        fill = constant_value.reshape(-1)[0]
    if data.dtype.kind == "V":
        # The types of ml_dtypes: NumPy copies what it does not know one element at a time.
        bits = f"u{data.itemsize}"
        fill = 0 if constant_value is None else constant_value.reshape(-1).view(bits)[0]
        data, output = data.view(bits), output.view(bits)
    if mode == "constant":
        slices: list[Any] = [
            slice(max(-first, 0), max(min(size, length - first), 0))
            for first, size, length in zip(begin, data.shape, output.shape, strict=True)
        ]
        taken: tuple[Any, ...] = (*slices, ...)  # of a scalar too, an array
        inner = data[taken]
        slices = [
            slice(max(first, 0), max(first, 0) + size)
            for first, size in zip(begin, inner.shape, strict=True)
        ]
        placed: tuple[Any, ...] = (*slices, ...)
        if inner.shape != output.shape:
            output[...] = fill
        if inner.size:
            output[placed] = inner
        return
    # All axes are cropped before one is padded, so that no intermediate array exceeds the output.
    retained: list[Any] = [
        slice(max(-first, 0), min(length - first, size))
        for first, size, length in zip(begin, data.shape, output.shape, strict=True)
    ]
    cropped: tuple[Any, ...] = (*retained, ...)
    data = data[cropped]
    for axis, (first, length) in enumerate(zip(begin, output.shape, strict=True)):
        size = data.shape[axis]
        if size != length:
            data = data.take(_sources(mode, size, max(first, 0), length), axis)
    np.copyto(output, data)


def _sources(mode: str, size: int, first: int, length: int) -> NDArray[np.intp]:
    """For each position of an axis of the output, the one of the ``size`` that are kept."""
    at = np.arange(length) - first
    if mode == "edge":
        return at.clip(0, size - 1)
    if mode == "wrap":
        return at % size
    period = max(2 * (size - 1), 1)
    at = at % period
    return np.minimum(at, period - at) if size > 1 else at * 0
