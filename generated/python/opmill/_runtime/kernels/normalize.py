"""Normalisations with NumPy: means and variances along axes, in double."""

from __future__ import annotations

import math
from typing import Any, TypeAlias

import ml_dtypes
import numpy as np
from numpy.typing import NDArray

Array: TypeAlias = NDArray[Any]

STASH_TYPES = {1: np.float32, 10: np.float16, 11: np.float64, 16: ml_dtypes.bfloat16}
"""The types that an attribute may name, by their numbers in TensorProto.DataType."""


def stashed(data: Array, stash: int) -> Array:
    """The elements as doubles, rounded to a type before; 0 means their own."""
    source = data if stash == 0 else data.astype(STASH_TYPES[stash])
    return source.astype(np.float64)


def mean_and_variance(data: Array, axes: tuple[int, ...]) -> tuple[Array, Array]:
    """The mean and the variance of the population, the axes kept as 1; NaN of no elements."""
    count = np.float64(math.prod(data.shape[axis] for axis in axes))
    mean = np.add.reduce(data, axis=axes, keepdims=True) / count
    less = data - mean
    return mean, np.add.reduce(less * less, axis=axes, keepdims=True) / count


def mean_square(data: Array, axes: tuple[int, ...]) -> Array:
    """The mean of the squares, the axes kept as 1; NaN of no elements."""
    count = np.float64(math.prod(data.shape[axis] for axis in axes))
    return np.asarray(np.add.reduce(data * data, axis=axes, keepdims=True) / count)
