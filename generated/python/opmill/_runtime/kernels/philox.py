"""Random words without a state: Philox4x32-10 of Salmon et al. (2011), the bits of `philox.h`.

Block b of a seed has four words, which depend on both alone: the key is the seed, its low half
first; the counter is b, its low half first, then two zeros.
"""

from __future__ import annotations

import numpy as np

from opmill._runtime.types import Array

_LOW = np.uint64(2**32 - 1)
_HALF = np.uint64(32)
_FIRST, _SECOND = np.uint64(0xD2511F53), np.uint64(0xCD9E8D57)


def words(seed: int, count: int) -> Array:
    """The first ``count`` words of a seed, of 64 bits, as uint64; each is below 2^32."""
    low, high = seed % 2**32, seed // 2**32 % 2**32
    a, b = np.divmod(np.arange(-(-count // 4), dtype=np.uint64), np.uint64(2**32))[::-1]
    c, d = np.zeros_like(a), np.zeros_like(a)
    for _ in range(10):
        p, q = a * _FIRST, c * _SECOND
        a, b = (q >> _HALF) ^ b ^ np.uint64(low), q & _LOW
        c, d = (p >> _HALF) ^ d ^ np.uint64(high), p & _LOW
        low, high = (low + 0x9E3779B9) % 2**32, (high + 0xBB67AE85) % 2**32
    found: Array = np.stack((a, b, c, d), axis=-1).reshape(-1)[:count]
    return found
