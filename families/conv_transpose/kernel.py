"""The NumPy kernel of ConvTranspose: matrix products, whose results are added where they belong.

Every pixel of X times every tap of W goes to one place of Y: along each axis, pixel x and tap j
meet at ``x * stride + j * dilation - begin``. The products are made block by block, as one matrix
product each, and then added to Y, either a tap at a time, with all pixels of the block, or a pixel
at a time, with all taps. Zeros are never put between or around the pixels: they would meet weights,
and zero times infinity is no zero.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

# A block holds about so many products: fewer stay in a faster cache until they are added, but
# matrix products, on several threads above all, gain more from more.
_PRODUCTS = 1 << 21
_PRODUCTS_ALONE = 1 << 20

# So many pixels at least, where there are as many, keep a matrix product at full speed.
_PIXELS = 1 << 10

# NumPy copies short rows of operands into buffers before it adds them, "short" being a quarter of
# the buffer, which takes longer than to add them. This is the buffer's length, for few such rows.
_BUFFER = 1 << 10


def compute(
    X: NDArray[Any],
    W: NDArray[Any],
    B: NDArray[Any] | None,
    Y: NDArray[Any],
    *,
    begin: Sequence[int],
    strides: Sequence[int],
    dilations: Sequence[int],
    group: int,
) -> None:
    """Write the transposed convolution to ``Y``, whose shape decides what is cropped at the end."""
    with np.errstate(all="ignore"):  # overflow and NaN are results here, and it restores the buffer
        np.setbufsize(_BUFFER)
        # The 16-bit types are summed in float32 and rounded once.
        dtype = np.result_type(Y.dtype, np.float32)
        sums = Y if Y.dtype == dtype else np.empty(Y.shape, dtype)
        sums[...] = 0 if B is None else B.reshape(-1, *[1] * len(begin))
        if X.size and W.size and Y.size:
            x, w = np.ascontiguousarray(X, dtype), np.ascontiguousarray(W, dtype)
            _add_products(x, w, sums, begin, strides, dilations, group)
        if sums is not Y:
            Y[...] = sums


def _add_products(
    X: NDArray[Any],
    W: NDArray[Any],
    Y: NDArray[Any],
    begin: Sequence[int],
    strides: Sequence[int],
    dilations: Sequence[int],
    group: int,
) -> None:
    """Add to ``Y`` each pixel times each tap, block by block."""
    channels, maps = X.shape[1] // group, W.shape[1]  # of a group
    kernel = W.shape[2:]
    taps = prod(kernel)
    weights = W.reshape(group, channels, maps * taps).swapaxes(1, 2)
    alone = channels == 1  # and nothing to sum over
    multiply: np.ufunc = np.multiply if alone else np.matmul

    limit = (_PRODUCTS_ALONE if alone else _PRODUCTS) // taps
    # Blocks are as wide in pixels as leaves room for all maps, but not narrow for their sake.
    maps_beside = max(1, min(group * maps, limit // _PIXELS))
    images, *box = _box((X.shape[0], *X.shape[2:]), limit // maps_beside)
    groups_block, maps_block = _box((group, maps), limit // (images * prod(box)))
    buffer = np.empty(groups_block * maps_block * taps * images * prod(box), X.dtype)
    # The shorter loop: the fewer the additions, the longer are the rows that each has to add.
    by_pixel = prod(box) < taps

    for g, m, n, *corner in product(
        range(0, group, groups_block),
        range(0, maps, maps_block),
        range(0, X.shape[0], images),
        *(range(0, extent, size) for extent, size in zip(X.shape[2:], box, strict=True)),
    ):
        w = weights[g : g + groups_block, m * taps : (m + maps_block) * taps]
        x = X[
            n : n + images,
            g * channels : (g + groups_block) * channels,
            *(slice(low, low + size) for low, size in zip(corner, box, strict=True)),
        ].swapaxes(0, 1)
        count, *extents = x.shape[1:]
        pixels = prod(extents)
        rows, columns = w.shape[0] * w.shape[1], count * pixels
        y = Y[n : n + images, g * maps + m :][:, : rows // taps].swapaxes(0, 1)

        # What is added at a time lies together in memory.
        part = buffer[: rows * columns]
        matrix = part.reshape(columns, rows).T if by_pixel else part.reshape(rows, columns)
        multiply(
            w,
            x.reshape(w.shape[0], channels, columns),
            out=matrix.reshape(w.shape[0], w.shape[1], columns),
        )
        products = matrix.reshape(rows // taps, taps, count, pixels)
        offsets = [low * s - b for low, s, b in zip(corner, strides, begin, strict=True)]
        if by_pixel:
            parts = products.transpose(3, 0, 2, 1)
            _scatter(parts, y, offsets, extents, strides, kernel, dilations)
        else:
            parts = products.swapaxes(0, 1)
            _scatter(parts, y, offsets, kernel, dilations, extents, strides)


def _box(extents: Sequence[int], limit: int) -> list[int]:
    """The extents of a block of at most ``limit`` elements: inner axes whole, outer ones not."""
    sizes = []
    for extent in reversed(extents):
        sizes.append(max(1, min(extent, limit)))
        limit //= sizes[-1]
    return sizes[::-1]


def _scatter(
    products: NDArray[Any],
    y: NDArray[Any],
    offsets: Sequence[int],
    loop: Sequence[int],
    loop_steps: Sequence[int],
    grid: Sequence[int],
    grid_steps: Sequence[int],
) -> None:
    """Add products to the places of ``y`` where pixels and taps meet.

    Of pixels and taps, one is looped over, and the other is the grid that is added at a time.

    Args:
        products: of shape (loop, maps, images, grid), the spatial axes of loop and grid flattened.
        y: of shape (maps, images, *spatial).
        offsets: for each spatial axis, the place in ``y`` of the first pixel and tap.
        loop: how many there are along each spatial axis.
        loop_steps: how far from each other they meet ``y``.
        grid: as ``loop``.
        grid_steps: as ``loop_steps``.
    """
    axes = [
        [_meet(offset + i * loop_step, grid_step, count, size) for i in range(loop_count)]
        for offset, loop_count, loop_step, count, grid_step, size in zip(
            offsets, loop, loop_steps, grid, grid_steps, y.shape[2:], strict=True
        )
    ]
    for part, meetings in zip(products, product(*axes), strict=True):
        positions, used = zip(*meetings, strict=True)
        target = y[:, :, *positions]
        terms = part.reshape(*part.shape[:2], *grid)[:, :, *used]
        np.add(target, terms, out=target)


def _meet(offset: int, step: int, count: int, size: int) -> tuple[slice, slice]:
    """The places ``offset + i * step`` that lie in 0..size, for i in 0..count, and these i."""
    first = max(0, -(offset // step))
    last = min(count, (size - 1 - offset) // step + 1)
    if first >= last:
        return slice(0), slice(0)
    start, stop = offset + first * step, offset + (last - 1) * step + 1
    return slice(start, stop, step), slice(first, last)
