"""The NumPy kernel of MurmurHash3: elements of one length are hashed together."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from opmill._runtime.kernels.texts import texts_of

Words = NDArray[np.uint32]


def compute(X: NDArray[Any], Y: NDArray[Any], *, seed: int) -> None:
    """Write the hash of each element."""
    hashes = np.empty(X.size, np.uint32)
    if X.dtype.kind in "OTUS":
        texts = [str(one).encode("utf-8", "surrogatepass") for one in texts_of(X, "X").reshape(-1)]
        positions: dict[int, list[int]] = {}
        for position, text in enumerate(texts):
            positions.setdefault(len(text), []).append(position)
        for size, where in positions.items():
            block = np.frombuffer(b"".join(texts[i] for i in where), np.uint8)
            hashes[where] = _hashed(block.reshape(len(where), size), seed)
    else:
        ordered = np.ascontiguousarray(X, X.dtype.newbyteorder("<")).reshape(-1)
        hashes[:] = _hashed(ordered.view(np.uint8).reshape(X.size, X.itemsize), seed)
    Y[...] = hashes.view(Y.dtype).reshape(Y.shape)


def _hashed(rows: NDArray[np.uint8], seed: int) -> Words:
    """The hash of each row of bytes."""
    count, size = rows.shape
    padded = np.zeros((count, size // 4 * 4 + 4), np.uint8)
    padded[:, :size] = rows
    words = padded.view("<u4").astype(np.uint32)
    hashes = np.full(count, seed, np.uint32)
    for k in range(size // 4):
        hashes = _rotated(hashes ^ _scrambled(words[:, k]), 13) * np.uint32(5)
        hashes += np.uint32(0xE6546B64)
    hashes ^= _scrambled(words[:, -1])  # the last bytes; 0 has no effect
    hashes ^= np.uint32(size & 0xFFFFFFFF)
    for shift, factor in ((16, 0x85EBCA6B), (13, 0xC2B2AE35)):
        hashes = (hashes ^ (hashes >> np.uint32(shift))) * np.uint32(factor)
    return hashes ^ (hashes >> np.uint32(16))


def _scrambled(words: Words) -> Words:
    return _rotated(words * np.uint32(0xCC9E2D51), 15) * np.uint32(0x1B873593)


def _rotated(words: Words, bits: int) -> Words:
    return (words << np.uint32(bits)) | (words >> np.uint32(32 - bits))
