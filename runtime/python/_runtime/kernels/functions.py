"""Elementary functions that NumPy lacks, of float32 and float64 arrays.

Of float32 they are computed in float64: where a formula takes several steps, each would cost an
accuracy that the result can ill afford.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from opmill._runtime.types import Array

_ERF = np.frompyfunc(math.erf, 1, 1)
_ERFC = np.frompyfunc(math.erfc, 1, 1)


def above(x: Array, limit: float) -> Array:
    """Compare with a limit, integers exactly; nothing is above NaN."""
    if x.dtype.kind not in "iu":
        return _array(x > limit)
    if not math.isfinite(limit):
        return np.full(x.shape, limit < 0)
    return _array(x > math.floor(limit))


def celu(x: Array, alpha: float) -> Array:
    """Return max(0, x) + min(0, alpha (exp(x / alpha) - 1))."""
    x = _wide(x)
    low = alpha * np.expm1(x / np.float64(alpha))
    return _array(np.maximum(x, 0) + np.minimum(low, 0))


def elu(x: Array, alpha: float, gamma: float = 1) -> Array:
    """Return gamma x where x is not below 0, else gamma alpha (exp(x) - 1)."""
    x = _wide(x)
    return _array(gamma * np.where(x < 0, alpha * np.expm1(np.minimum(x, 0)), x))


def erf(x: Array) -> Array:
    """Return the error function; of integers, its float32 value truncated."""
    if x.dtype.kind in "iu":
        return _array((x >= 4) - (np.minimum(x, 0) <= -4).astype(np.int8))
    return _real(_ERF, x)


def gelu(x: Array, tanh: float) -> Array:
    """Return x times the normal distribution function of x; where tanh is 1, an approximation."""
    x = _wide(x)
    if not tanh:
        return _array(0.5 * x * _real(_ERFC, -math.sqrt(0.5) * x))
    bounded = np.clip(x, -40, 40)  # the cube of what is larger may overflow
    u = math.sqrt(2 / math.pi) * (bounded + 0.044715 * bounded**3)
    return _array(x * sigmoid(2 * u))


def mish(x: Array) -> Array:
    """Return x tanh(log(1 + exp(x)))."""
    x = _wide(x)
    e = np.exp(np.minimum(x, 40))  # from there on the factor is 1
    n = e * (e + 2)
    return _array(x * (n / (n + 2)))


def shrink(x: Array, bias: float, lambd: float) -> Array:
    """Return x + bias where x < -lambd, x - bias where x > lambd, else 0; of integers truncated."""
    if x.dtype.kind not in "iu":
        return _array(np.where(x < -lambd, x + bias, np.where(x > lambd, x - bias, 0)))
    low = np.where(above(x, lambd), _sum(x, -bias), np.uint64(0))
    return np.where(_below(x, -lambd), _sum(x, bias), low)


def sigmoid(x: Array) -> Array:
    """Return 1 / (1 + exp(-x)), or the same as exp(x) / (1 + exp(x)), which does not overflow."""
    x = _wide(x)
    e = np.exp(-np.abs(x))
    return _array(np.where(x < 0, e, 1) / (1 + e))


def softplus(x: Array) -> Array:
    """Return log(1 + exp(x)) as max(x, 0) + log(1 + exp(-|x|)), which does not overflow."""
    x = _wide(x)
    return _array(np.maximum(x, 0) + np.log1p(np.exp(-np.abs(x))))


def swish(x: Array, alpha: float) -> Array:
    """Return x / (1 + exp(-alpha x))."""
    x = _wide(x)
    return _array(x * sigmoid(alpha * x))


def _below(x: Array, limit: float) -> Array:
    """Return whether integers are below any number; a NaN has none below it."""
    if not math.isfinite(limit):
        return np.full(x.shape, limit > 0)
    return _array(x < math.ceil(limit))


def _sum(x: Array, bias: float) -> Array:
    """The exact sum of integers and a finite number, truncated toward zero, modulo 2^64."""
    whole = math.trunc(bias)
    total = x.astype(np.uint64) + np.uint64(whole % 2**64)
    if bias < whole:
        total = total - above(x, -whole).astype(np.uint64)
    elif bias > whole:
        total = total + _below(x, -whole).astype(np.uint64)
    return _array(total)


def _wide(x: Array) -> Array:
    """The array in float64."""
    return x.astype(np.float64)


def _real(function: np.ufunc, x: Array) -> Array:
    """A function of Python's floats, element by element."""
    return _array(function(x.astype(np.float64))).astype(np.float64)


def _array(x: Any) -> Array:
    """An array, also where NumPy's functions of arrays without axes return a scalar."""
    return np.asarray(x)
