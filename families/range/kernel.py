"""The NumPy kernel of Range: each number is computed from its index, in blocks."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

_BLOCK = 1 << 16


def narrowed(numbers: NDArray[Any], dtype: np.dtype[Any]) -> NDArray[Any]:
    """The numbers in the type of the output; doubles become halves by way of float."""
    by_float = numbers.dtype == np.float64 and dtype.itemsize == 2
    return np.asarray((numbers.astype(np.float32) if by_float else numbers).astype(dtype))


def compute(
    start: NDArray[Any], delta: NDArray[Any] | None, output: NDArray[Any], *, in_double: bool
) -> None:
    """Write ``start + i * delta`` to element i of ``output``; an absent ``delta`` is 1.

    Integers are computed modulo 2^64, which holds every number of the range. Floats are computed in
    double, float16 and bfloat16 in float unless ``in_double``, and rounded to the type at the end.
    """
    dtype = output.dtype
    whole = dtype.kind == "i"
    half = dtype.itemsize == 2 and not whole
    wide: Any = np.uint64 if whole else np.float32 if half and not in_double else np.float64
    first = start.reshape(()).astype(wide)
    step = wide(1) if delta is None else delta.reshape(()).astype(wide)
    with np.errstate(all="ignore"):  # integers wrap around, and a last float may be an infinity
        for at in range(0, output.size, _BLOCK):
            index = np.arange(at, min(at + _BLOCK, output.size), dtype=np.int64).astype(wide)
            output[at : at + _BLOCK] = narrowed(index * step + first, dtype)
