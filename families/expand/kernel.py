"""The NumPy kernel of Expand: elements are copied, never computed with."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from opmill._runtime.kernels.repeat import repeat


def compute(input: NDArray[Any], shape: NDArray[Any], output: NDArray[Any]) -> None:
    """Write ``input``, broadcast with ``shape``, to ``output``, which has the result's shape."""
    source = input.reshape((1,) * (output.ndim - input.ndim) + input.shape)
    pairs = zip(source.shape, output.shape, strict=True)
    repeat(source, [1 if extent == size else size for extent, size in pairs], output)
