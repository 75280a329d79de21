"""The NumPy kernel of GatherBlockQuantized: codes and scales are selected, then multiplied."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from opmill._runtime.kernels.conversion import converted
from opmill._runtime.kernels.halves import widened

Array = NDArray[Any]


def compute(
    data: Array,
    indices: Array,
    scales: Array,
    zero_points: Array | None,
    output: Array,
    *,
    along: int,
    bits: int,
    block: int,
    first: int,
    packed: bool,
    zero: int,
) -> None:
    """Write (code - zero point) * scale of the selected slices; 0 for an index out of range."""
    size = data.shape[first]
    outside = (indices < -size) | (indices >= size)
    if not output.size or size == 0:
        output[...] = 0
        return
    found = np.where(outside, 0, indices) % size
    codes = data.take(found, first)
    if packed:
        codes = unpacked(codes, bits, codes.shape[-1] * 8 // bits)
    codes = codes.astype(np.float64)
    select = _Selection(found, first, along, block)
    factors = widened(select.spread(scales, codes.shape)).astype(np.float64)
    with np.errstate(all="ignore"):  # infinities and NaN are legal
        if zero_points is None:
            codes -= zero
        else:
            points = zero_points
            if packed:
                points = unpacked(points, bits, scales.shape[-1])
            codes -= select.spread(points, codes.shape).astype(np.float64)
        output[...] = converted(codes * factors, output.dtype)
    output[(slice(None),) * first + (outside,)] = 0


def unpacked(data: Array, bits: int, count: int) -> Array:
    """The first codes in the bytes of each row, the low bits first."""
    shifts = np.arange(0, 8, bits, dtype=np.uint8)
    codes = data[..., np.newaxis] >> shifts & np.uint8(2**bits - 1)
    return codes.reshape(*data.shape[:-1], data.shape[-1] * len(shifts))[..., :count]


class _Selection:
    """Selects from a table of the scales' shape what belongs to the selected codes."""

    def __init__(self, found: Array, first: int, along: int, block: int) -> None:
        self.found, self.first, self.along, self.block = found, first, along, block

    def spread(self, table: Array, shape: tuple[int, ...]) -> Array:
        """The element of the table for each code."""
        own = self.found
        if self.first == self.along:
            own = own // self.block
        elif table.shape[self.first] == 1:
            own = np.zeros_like(own)
        selected = table.take(own, self.first)
        if self.first != self.along:
            axis = self.along + (self.found.ndim - 1 if self.along > self.first else 0)
            selected = selected.take(np.arange(shape[axis]) // self.block, axis)
        return np.broadcast_to(selected, shape)
