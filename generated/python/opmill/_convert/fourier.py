"""Fourier transforms as matrices of cosines and sines, for entries that multiply by them.

A signal along an axis is a row of numbers; of complex numbers, the imaginary part of each follows
its real part. A transform reads some numbers of the row, and multiplies them by a matrix.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from opmill._convert.facts import Refusal

Array = np.ndarray[Any, Any]

_MAX_ELEMENTS = 1 << 24
"""Maximum number of elements of a matrix."""


def fourier_reads(size: int, parts: int, length: int, inverse: int, onesided: int) -> list[int]:
    """Positions of the numbers of a row that a transform reads.

    Args:
        size: the number of entries that the row has.
        parts: 1 for real entries, 2 for complex ones.
        length: the length of the transform.
        inverse: whether the transform is the inverse one.
        onesided: whether only one half of a spectrum is stored.
    """
    if not (inverse and onesided):
        return list(range(min(size, length) * parts))
    count = min(size, length // 2 + 1) if length else 0
    return [2 * k + part for k in range(count) for part in (0, 1) if not part or 0 < 2 * k < length]


def fourier_matrix(size: int, parts: int, length: int, inverse: int, onesided: int) -> Array:
    """The factors of the numbers that ``fourier_reads`` lists, a row for each of them."""
    reads = np.asarray(fourier_reads(size, parts, length, inverse, onesided), np.int64)
    is_real_result = bool(inverse and onesided)
    results = length // 2 + 1 if onesided and not inverse else length
    columns = results * (1 if is_real_result else 2)
    if len(reads) * columns > _MAX_ELEMENTS:
        raise Refusal(
            f"a transform of length {length} needs a constant of {len(reads)} x {columns} numbers, "
            f"expected at most {_MAX_ELEMENTS}"
        )
    entry, part = reads // parts, reads % parts
    real, imaginary = _waves(entry, results, max(length, 1))
    if inverse:
        imaginary = -imaginary
    is_part = part[:, None] == 1
    # (a + b i) (c + d i): b contributes -d to the real part, and c to the imaginary one.
    found = np.stack(
        [np.where(is_part, -imaginary, real), np.where(is_part, real, imaginary)], axis=-1
    )
    if is_real_result:
        halves = np.where((entry == 0) | (2 * entry == length), 1.0, 2.0)
        found = found[..., 0] * halves[:, None]
    if inverse:
        found = found / max(length, 1)
    return found.reshape(len(reads), columns)


def fourier_filters(parts: int, length: int, onesided: int) -> Array:
    """The matrix of a forward transform as filters of a convolution, one for each result.

    The filters have the shape (results, parts, length).
    """
    matrix = fourier_matrix(length, parts, length, 0, onesided)
    return np.ascontiguousarray(matrix.T.reshape(-1, length, parts).transpose(0, 2, 1))


def _waves(entry: Array, results: int, length: int) -> tuple[Array, Array]:
    """The real and imaginary parts of e^(-2 pi i j k / n), exact where they are 0 or 1."""
    turns = entry[:, None] * np.arange(results)[None, :] % length
    angles = 2 * np.pi * turns / length
    real, imaginary = np.cos(angles), -np.sin(angles)
    real[(4 * turns == length) | (4 * turns == 3 * length)] = 0
    imaginary[2 * turns % length == 0] = 0
    return real, imaginary


__all__ = ["fourier_filters", "fourier_matrix", "fourier_reads"]
