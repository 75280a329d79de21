"""exp and log of doubles, with the bits that runtime/math of the C library gives on every machine.

NumPy's own depend on the processor. These are for kernels whose results are promised to the bit.
"""

from __future__ import annotations

import numpy as np

from opmill._runtime.types import Array

_LN2_HIGH = float.fromhex("0x1.62e42fefa38p-1")
_LN2_LOW = float.fromhex("0x1.ef35793c7673p-45")
_LOG2_E = float.fromhex("0x1.71547652b82fep+0")
_ROUNDER = float.fromhex("0x1.8p52")

_EXP_EVEN = tuple(
    map(
        float.fromhex,
        (
            "0x1.28b03c918852dp-22",
            "0x1.a01996a110f91p-16",
            "0x1.6c16c185a283p-10",
            "0x1.5555555550045p-5",
            "0x1.000000000000bp-1",
        ),
    )
)
_EXP_ODD = tuple(
    map(
        float.fromhex,
        (
            "0x1.af8546df0c40ap-26",
            "0x1.71dddff38c17dp-19",
            "0x1.a01a01bad10e9p-13",
            "0x1.111111110d66bp-7",
            "0x1.5555555555561p-3",
        ),
    )
)
_LOG_EVEN = tuple(
    map(
        float.fromhex,
        (
            "0x1.2f0545b31fde9p-3",
            "0x1.74663ec5c8261p-3",
            "0x1.24924941f0203p-2",
            "0x1.5555555555592p-1",
        ),
    )
)
_LOG_ODD = tuple(
    map(
        float.fromhex,
        (
            "0x1.39a1bdea16873p-3",
            "0x1.c71c520a18327p-3",
            "0x1.999999997fdcdp-2",
        ),
    )
)


def _polynomial(x: Array, coefficients: tuple[float, ...]) -> Array:
    y = np.full_like(x, coefficients[0])
    for one in coefficients[1:]:
        y = y * x + one
    return y


def log(x: Array) -> Array:
    """The logarithms of positive normal numbers."""
    half_root = np.uint64(0x3FE6A09E667F3BCD)
    offset = np.ascontiguousarray(x, np.float64).view(np.uint64) - half_root
    biased = (offset + np.uint64(2048 << 52)) >> np.uint64(52)
    k = biased.astype(np.float64) - 2048.0
    f = ((offset & np.uint64(2**52 - 1)) + half_root).view(np.float64) - 1.0
    s = f / (2.0 + f)
    z = s * s
    half_square = 0.5 * f * f
    series = _polynomial(z * z, _LOG_EVEN) + z * _polynomial(z * z, _LOG_ODD)
    rest = s * (half_square + z * series)
    result: Array = k * _LN2_HIGH + (f - (half_square - (rest + k * _LN2_LOW)))
    return result


def exp(x: Array) -> Array:
    """The exponentials of numbers that are no NaN; -inf gives 0."""
    bounded = np.clip(np.asarray(x, np.float64), -800.0, 800.0)
    k = (bounded * _LOG2_E + _ROUNDER) - _ROUNDER
    r = (bounded - k * _LN2_HIGH) - k * _LN2_LOW
    square = r * r
    value = 1.0 + (
        r + square * (_polynomial(square, _EXP_EVEN) + r * _polynomial(square, _EXP_ODD))
    )
    half = (0.5 * k + _ROUNDER) - _ROUNDER
    with np.errstate(all="ignore"):
        result: Array = value * _power_of_two(half) * _power_of_two(k - half)
    return result


def _power_of_two(k: Array) -> Array:
    return ((k.astype(np.int64) + 1023).view(np.uint64) << np.uint64(52)).view(np.float64)
