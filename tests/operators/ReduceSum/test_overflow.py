"""Sums of floats that are finite, and are infinite in float on the way, on every backend."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest
from numpy.typing import NDArray

import opmill
from large_tensors import each_instruction_set

TERMS = [3e38, 3e38, -3e38, -3e38]
SHAPES = [
    ((4,), (0,)),
    ((4 * 701,), (0,)),  # several blocks
    ((3, 4 * 19), (1,)),
    ((4 * 19, 3), (0,)),  # several rows taken as one
    ((4 * 19, 301), (0,)),
    ((3, 4 * 19, 5), (0, 1)),
]
CALLS = {
    "ReduceSum": (opmill.operator("ReduceSum", 13), {"keepdims": 0}),
    "ReduceMean": (opmill.operator("ReduceMean", 18), {"keepdims": 0}),
}


def terms(shape: tuple[int, ...], axes: tuple[int, ...], dtype: Any) -> NDArray[Any]:
    """Elements that repeat the terms along the last of the axes; their sum is 0."""
    period = [1] * len(shape)
    period[axes[-1]] = len(TERMS)
    repeats = [dim // size for dim, size in zip(shape, period, strict=True)]
    return np.tile(np.array(TERMS).astype(dtype).reshape(period), repeats)


@each_instruction_set
@pytest.mark.parametrize("backend", opmill.backends())
@pytest.mark.parametrize("dtype", [np.float32, ml_dtypes.bfloat16])
@pytest.mark.parametrize(("shape", "axes"), SHAPES)
@pytest.mark.parametrize("name", CALLS)
def test_finite_sums_do_not_overflow(
    name: str,
    shape: tuple[int, ...],
    axes: tuple[int, ...],
    dtype: Any,
    backend: str,
    instruction_set: str,
) -> None:
    operator, attributes = CALLS[name]
    x = terms(shape, axes, dtype)
    with opmill.use_backend(backend), opmill.use_instruction_set(instruction_set):
        (found,) = operator([x, np.array(axes)], attributes)
    np.testing.assert_array_equal(found.astype(np.float64), 0)


@pytest.mark.parametrize("backend", opmill.backends())
@pytest.mark.parametrize(("shape", "axes"), SHAPES)
def test_infinities_remain(shape: tuple[int, ...], axes: tuple[int, ...], backend: str) -> None:
    x = terms(shape, axes, np.float32)
    x.reshape(-1)[0] = -np.inf
    with opmill.use_backend(backend):
        (found,) = CALLS["ReduceSum"][0]([x, np.array(axes)], {"keepdims": 0})
    assert found.reshape(-1)[0] == -np.inf
    np.testing.assert_array_equal(found.reshape(-1)[1:], 0)
