"""The NumPy kernel of TopK: elements become unsigned keys in the order of the result."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def compute(
    X: NDArray[Any],
    Values: NDArray[Any],
    Indices: NDArray[np.int64],
    *,
    axis: int,
    largest: bool,
) -> None:
    """Write the first elements in order, and where they are, to the outputs."""
    if not Indices.size:
        return
    moved = np.moveaxis(X, axis, -1)
    rows = moved.reshape(-1, moved.shape[-1])
    found = _first(_keys(rows, largest), Indices.shape[axis])
    bits = f"u{X.dtype.itemsize}"  # elements are copied as they are
    positions = np.moveaxis(Indices, axis, -1)
    positions[...] = found.reshape(positions.shape)
    values = np.take_along_axis(rows.view(bits), found, -1)
    np.moveaxis(Values, axis, -1).view(bits)[...] = values.reshape(positions.shape)


def _keys(x: NDArray[Any], largest: bool) -> NDArray[Any]:
    """Unsigned integers, the smaller the earlier; zeros are equal, and so are NaNs."""
    width = 8 * x.dtype.itemsize
    bits = x.view(f"u{x.dtype.itemsize}")
    sign = bits.dtype.type(1 << (width - 1))
    if x.dtype.kind == "u":
        keys = bits
    elif x.dtype.kind == "i":
        keys = bits ^ sign
    else:
        keys = np.where(bits & sign, ~bits, bits | sign)
        keys[x == 0] = sign
        keys[np.isnan(x)] = np.iinfo(bits.dtype).max
    return ~keys if largest else keys


def _first(keys: NDArray[Any], count: int) -> NDArray[np.int64]:
    """The positions of the smallest keys of each row, in order; of equal keys the first."""
    length = keys.shape[-1]
    if count * 4 > length or keys.dtype.itemsize == 8 or length > 1 << 32:
        return np.argsort(keys, -1, kind="stable")[..., :count]
    tagged = keys.astype(np.uint64) << np.uint64(32) | np.arange(length, dtype=np.uint64)
    first = np.sort(np.partition(tagged, count - 1, -1)[..., :count], -1)
    return (first & np.uint64(0xFFFFFFFF)).astype(np.int64)
