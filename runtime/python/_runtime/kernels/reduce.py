"""Reductions with NumPy: elements along some axes combined into one.

Floats are combined as doubles, which makes NumPy's order of no account for narrower types, and
rounded once. Integers wrap around, or are exact, or become doubles where a logarithm follows.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Array: TypeAlias = NDArray[Any]
Axes: TypeAlias = tuple[int, ...]


def reduce(
    combine: Callable[[Array, Axes], Any], data: Array, reduces: Sequence[int], reduced: Array
) -> None:
    """Write ``data``, combined along the axes that ``reduces`` marks by 1, to ``reduced``."""
    axes = tuple(axis for axis, marked in enumerate(reduces) if marked)
    if combine in COPIES and all(data.shape[axis] == 1 for axis in axes):
        reduced[...] = data.reshape(reduced.shape)
        return
    exact = data.dtype.kind in "iub"
    with np.errstate(all="ignore"):  # infinities and NaNs, and the logarithm of 0, are legal
        source = data if exact or data.dtype == np.float32 else data.astype(np.float64)
        result = np.asarray(combine(source, axes)).reshape(reduced.shape)
        if result.dtype.kind == "f" and exact:
            result = truncated(result, reduced.dtype)
        reduced[...] = result.astype(reduced.dtype)


def total(data: Array, axes: Axes) -> Any:
    """The sum."""
    return np.add.reduce(data, axis=axes, dtype=_combined_in(data))


def magnitudes(data: Array, axes: Axes) -> Any:
    """The sum of the magnitudes; that of the lowest integer wraps around."""
    return total(np.abs(data), axes)


def squares(data: Array, axes: Axes) -> Any:
    """The sum of the squares."""
    return total(np.square(data, dtype=_combined_in(data)), axes)


def product(data: Array, axes: Axes) -> Any:
    """The product."""
    return np.multiply.reduce(data, axis=axes, dtype=_combined_in(data))


def largest(data: Array, axes: Axes) -> Any:
    """The largest, or NaN; of no elements, the lowest value of the type."""
    return np.maximum.reduce(data, axis=axes, initial=_limits(data)[0])


def smallest(data: Array, axes: Axes) -> Any:
    """The smallest, or NaN; of no elements, the highest value of the type."""
    return np.minimum.reduce(data, axis=axes, initial=_limits(data)[1])


def mean(data: Array, axes: Axes) -> Any:
    """The sum, divided by the number of elements; of integers exactly, truncated, of none 0."""
    terms = math.prod(data.shape[axis] for axis in axes)
    if data.dtype.kind == "f":
        return total(data, axes) / np.float64(terms)
    if terms == 0:
        return np.zeros(_reduced_shape(data, axes), data.dtype)
    wide = data.astype(np.uint64 if data.dtype.kind == "u" else np.int64)
    high = np.asarray(np.add.reduce((wide >> 32).astype(np.int64), axis=axes))
    low = np.asarray(np.add.reduce((wide & 0xFFFFFFFF).astype(np.uint64), axis=axes))
    sums = np.asarray(high.astype(object) * 2**32 + low.astype(object))
    means = [abs(some) // terms * (-1 if some < 0 else 1) for some in sums.reshape(-1).tolist()]
    return np.array(means, data.dtype).reshape(sums.shape)


def norm(data: Array, axes: Axes) -> Any:
    """The root of the sum of the squares; of integers exactly, truncated, the highest at most."""
    if data.dtype.kind == "f":
        return np.sqrt(squares(data, axes))
    near = np.asarray(squares(data.astype(np.float64), axes))
    if np.all(near < 2.0**50):  # every sum is exact
        return np.sqrt(near)
    sums = np.asarray(np.add.reduce(data.astype(object) ** 2, axis=axes))
    highest = np.iinfo(data.dtype).max
    roots = [min(math.isqrt(some), highest) for some in sums.reshape(-1)]
    return np.array(roots, data.dtype).reshape(sums.shape)


def log_of_sum(data: Array, axes: Axes) -> Any:
    """The logarithm of the sum in double."""
    return np.log(np.add.reduce(data, axis=axes, dtype=np.float64))


def log_of_exponentials(data: Array, axes: Axes) -> Any:
    """The logarithm of the sum of the exponentials, each less the largest element."""
    reals = data.astype(np.float64)
    shift = np.maximum.reduce(reals, axis=axes, initial=-np.inf, keepdims=True)
    shift = np.where(np.isfinite(shift), shift, 0.0)
    sums = np.add.reduce(np.exp(reals - shift), axis=axes)
    return np.log(sums) + shift.reshape(np.shape(sums))


COPIES = (largest, log_of_exponentials, mean, product, smallest, total)
"""What gives an element that is alone as it is."""


def truncated(reals: Array, dtype: np.dtype[Any]) -> Array:
    """Doubles as integers: truncated, the nearest limit out of range, the lowest for NaN."""
    limits = np.iinfo(dtype)
    result = np.full(reals.shape, limits.min, dtype)
    beyond = float(limits.max) + 1  # a power of two, to which doubles round the highest of 64 bits
    result[reals >= beyond] = limits.max
    inside = (reals >= float(limits.min)) & (reals < beyond)
    result[inside] = reals[inside].astype(dtype)
    return result


def _combined_in(data: Array) -> Any:
    return np.float64 if data.dtype.kind == "f" else data.dtype


def _limits(data: Array) -> tuple[Any, Any]:
    """The lowest and the highest value of the type."""
    if data.dtype.kind == "f":
        return -np.inf, np.inf
    if data.dtype.kind == "b":
        return False, True
    limits = np.iinfo(data.dtype)
    return limits.min, limits.max


def _reduced_shape(data: Array, axes: Axes) -> tuple[int, ...]:
    return tuple(dim for axis, dim in enumerate(data.shape) if axis not in axes)
