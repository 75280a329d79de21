"""The NumPy kernel of MatMulNBits."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from opmill._runtime.errors import ContentsError
from opmill._runtime.kernels.halves import widened


def compute(
    A: NDArray[Any],
    B: NDArray[Any],
    scales: NDArray[Any],
    zero_points: NDArray[Any] | None,
    g_idx: NDArray[Any] | None,
    bias: NDArray[Any] | None,
    Y: NDArray[Any],
    *,
    bits: int,
    block_size: int,
    blocks: int,
) -> None:
    """Write the product with the matrix that B stands for; sums are of doubles."""
    rows, length = B.shape[0], A.shape[-1]
    groups = np.arange(length) // block_size
    if g_idx is not None:
        check_groups(g_idx, blocks)
        groups = g_idx[:length]
    with np.errstate(all="ignore"):  # infinities and NaN are legal
        factors = widened(scales).reshape(rows, blocks).astype(np.float64)
        if zero_points is None:
            zeros = np.full((rows, blocks), 2 ** (bits - 1), np.float64)
        elif zero_points.dtype == np.uint8:
            zeros = unpacked(zero_points.reshape(rows, -1), bits)[:, :blocks].astype(np.float64)
        else:
            zeros = widened(zero_points).reshape(rows, blocks).astype(np.float64)
        codes = unpacked(B.reshape(rows, -1), bits)[:, :length].astype(np.float64)
        weights = (codes - zeros[:, groups]) * factors[:, groups]
        result = np.matmul(widened(A).astype(np.float64), weights.T)
        if bias is not None:
            result = result + widened(bias)
        Y[...] = result.astype(np.float32).astype(Y.dtype)


def check_groups(g_idx: NDArray[Any], blocks: int) -> None:
    """Each group is a block."""
    wrong = np.flatnonzero((g_idx < 0) | (g_idx >= blocks))
    if wrong.size:
        position = int(wrong[0])
        raise ContentsError(
            f"g_idx[{position}] is {int(g_idx[position])}, expected 0 to {blocks - 1}"
        )


def unpacked(data: NDArray[Any], bits: int) -> NDArray[Any]:
    """The codes in the bytes of each row, the low bits first."""
    shifts = np.arange(0, 8, bits, dtype=np.uint8)
    codes = data[:, :, None] >> shifts & np.uint8(2**bits - 1)
    return codes.reshape(data.shape[0], -1)
