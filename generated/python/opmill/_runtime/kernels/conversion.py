"""Numbers of any element type as another: each rounded once from its exact value.

NumPy and ml_dtypes convert between the wide types as they should. To a narrow floating type they
may round twice, by way of float32, so that here values come to float32 *rounded to odd* first:
what does not fit is cut off, and the last bit is set. Two bits more than the narrow type has are
enough for the second rounding to see on which side of a tie the value lies.
"""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np

from opmill._runtime.types import Array

_FNUZ = (np.dtype(ml_dtypes.float8_e4m3fnuz), np.dtype(ml_dtypes.float8_e5m2fnuz))
_FLOAT8 = (np.dtype(ml_dtypes.float8_e4m3fn), np.dtype(ml_dtypes.float8_e5m2), *_FNUZ)
_LARGEST = dict(zip(_FLOAT8, (448.0, 57344.0, 240.0, 57344.0), strict=True))
_E8M0 = np.dtype(ml_dtypes.float8_e8m0fnu)
_NO_NAN = (
    np.dtype(ml_dtypes.float4_e2m1fn),
    np.dtype(ml_dtypes.float6_e2m3fn),
    np.dtype(ml_dtypes.float6_e3m2fn),
)

# Integers below a byte: their bits, and whether they have a sign.
NARROW_INTEGERS = {
    np.dtype(ml_dtypes.int4): (4, True),
    np.dtype(ml_dtypes.uint4): (4, False),
    np.dtype(ml_dtypes.int2): (2, True),
    np.dtype(ml_dtypes.uint2): (2, False),
}

# The formats whose NaNs have a payload: the bits of the fraction.
_FRACTIONS = {
    np.dtype(np.float64): 52,
    np.dtype(np.float32): 23,
    np.dtype(np.float16): 10,
    np.dtype(ml_dtypes.bfloat16): 7,
    np.dtype(ml_dtypes.float8_e5m2): 2,
}


def converted(
    x: Array,
    dtype: np.dtype[Any],
    saturate: bool = True,
    round_mode: str = "up",
    fnuz_infinity: str = "largest",
) -> Array:
    """Numbers as another type.

    Args:
        x: numbers or bools.
        dtype: the type of the result.
        saturate: whether what is out of range of a float8 becomes its largest number.
        round_mode: "up", "down" or "nearest", for float8e8m0.
        fnuz_infinity: what an infinity becomes in the types that end in "fnuz", where ``saturate``
            is true: "largest" or "nan".
    """
    if x.dtype == dtype:
        return x
    if is_whole(x.dtype):
        x = x.astype(np.int8 if _is_signed(x.dtype) else np.uint8) if x.itemsize == 1 else x
        if dtype == np.bool_:
            return x.astype(np.bool_)
        if is_whole(dtype):
            return as_integer(x, dtype)
        return _as_float(x, dtype, saturate, round_mode, fnuz_infinity)
    wide = x if x.dtype in (np.float32, np.float64) else x.astype(np.float32)
    if dtype == np.bool_:
        return wide.astype(np.bool_)
    if is_whole(dtype):
        return as_integer(_truncated(wide, _bits(dtype)), dtype)
    y = _as_float(wide, dtype, saturate, round_mode, fnuz_infinity)
    nan = np.isnan(wide)
    if nan.any():
        y = np.array(y)
        y[nan] = _nans(x[nan], dtype)
    return y


# Integers


def is_whole(dtype: np.dtype[Any]) -> bool:
    return dtype.kind in "biu" or dtype in NARROW_INTEGERS


def _is_signed(dtype: np.dtype[Any]) -> bool:
    return NARROW_INTEGERS[dtype][1] if dtype in NARROW_INTEGERS else dtype.kind == "i"


def _bits(dtype: np.dtype[Any]) -> int:
    return NARROW_INTEGERS[dtype][0] if dtype in NARROW_INTEGERS else 8 * dtype.itemsize


def as_integer(x: Array, dtype: np.dtype[Any]) -> Array:
    """The low bits of integers, in two's complement."""
    if dtype not in NARROW_INTEGERS:
        return x.astype(dtype)
    bits, signed = NARROW_INTEGERS[dtype]
    low = x.astype(np.uint8) << (8 - bits)
    return (low.view(np.int8) >> (8 - bits) if signed else low >> (8 - bits)).astype(dtype)


def _truncated(x: Array, bits: int) -> Array:
    """The low bits of floats without their fractions, in two's complement; 0 for what is no number.

    The result is of int64 or uint64, which have the same low bits.
    """
    if (np.abs(x) < 2.0**63).all():
        return x.astype(np.int64)
    size = np.fmod(np.trunc(np.abs(np.where(np.isfinite(x), x, 0))), 2.0**bits).astype(np.uint64)
    return np.where(x < 0, np.negative(size), size)


# Floats


def _as_float(
    x: Array, dtype: np.dtype[Any], saturate: bool, round_mode: str, fnuz_infinity: str
) -> Array:
    """Numbers as floats; NaNs come out as any NaN."""
    if dtype in (np.float32, np.float64):
        return x.astype(dtype)
    odd = rounded_to_odd(x)
    if dtype == _E8M0:
        return _as_power(odd, saturate, round_mode)
    y = odd.astype(dtype)
    if saturate and dtype in _FLOAT8:
        beyond = np.isnan(y) | np.isinf(y)
        beyond &= ~np.isnan(odd)
        if fnuz_infinity == "nan" and dtype in _FNUZ:
            beyond &= ~np.isinf(odd)
        y = np.where(beyond, np.copysign(_LARGEST[dtype], odd).astype(dtype), y)
    return y


def rounded_to_odd(x: Array) -> Array:
    """Numbers as float32: cut off, and then odd, where they do not fit."""
    if x.dtype.kind in "iu" and x.itemsize >= 4:
        x = _odd_doubles(x) if x.itemsize == 8 else x.astype(np.float64)
    y = x.astype(np.float32)
    if x.dtype != np.float64:
        return y
    exact = y.astype(np.float64)
    bits = y.view(np.uint32)
    bits -= np.abs(exact) > np.abs(x)
    bits |= (exact != x) & ~np.isnan(x)
    return y


def _odd_doubles(x: Array) -> Array:
    """Integers of 64 bits as doubles, rounded to odd where a double may not hold them."""
    negative = x < 0
    size = np.where(negative, np.negative(x.view(np.uint64)), x.view(np.uint64))
    cut = (size & ~np.uint64(0x7FF)) | ((size & np.uint64(0x7FF)) != 0).astype(np.uint64) << 11
    y = np.where(size < 2**53, size, cut).astype(np.float64)
    return np.where(negative, -y, y)


def _as_power(x: Array, saturate: bool, round_mode: str) -> Array:
    """Floats as float8e8m0, whose elements are the powers of two from 2^-127 to 2^127, and NaN."""
    part, exponent = np.frexp(x)  # x = part * 2^exponent, part in [1/2, 1)
    power = exponent.astype(np.int64) - 1
    if round_mode != "down":
        power += part > 0.5 if round_mode == "up" else part >= 0.75
    power = np.where(x == 0, -127, np.where(np.isinf(x), 127, np.clip(power, -127, 127)))
    nan = np.isnan(x) | (x < 0)
    if not saturate:
        nan |= (x < 2.0**-127) | (x > 2.0**127)
    powers: Array = np.where(nan, 255, power + 127).astype(np.uint8)
    return powers.view(_E8M0)


def _nans(x: Array, dtype: np.dtype[Any]) -> Array:
    """NaNs as NaNs: with their sign, quiet, and with as much of their payload as fits."""
    if dtype in _NO_NAN:
        return np.zeros(x.shape, dtype)
    bits = np.ascontiguousarray(x).view(f"u{x.itemsize}").astype(np.uint64)
    negative = bits >> (8 * x.itemsize - 1)
    if x.dtype in (*_FNUZ, _E8M0):
        negative = np.zeros_like(bits)
    payload = bits << (64 - _FRACTIONS[x.dtype]) if x.dtype in _FRACTIONS else np.zeros_like(bits)
    if dtype in _FRACTIONS:
        fraction = _FRACTIONS[dtype]
        width = 8 * dtype.itemsize
        quiet = (2 ** (width - fraction) - 1) << (fraction - 1)  # the exponent, and the first bit
        quiet &= 2 ** (width - 1) - 1
        pattern = negative << (width - 1) | quiet | payload >> (64 - fraction)
    elif dtype in _FNUZ:
        pattern = np.full_like(bits, 0x80)
    elif dtype == _E8M0:
        pattern = np.full_like(bits, 0xFF)
    else:
        pattern = negative << 7 | 0x7F
    quieted: np.ndarray = pattern.astype(f"u{dtype.itemsize}").view(dtype)
    return quieted
