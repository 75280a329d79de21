"""Means of floats that are finite, and whose sums are infinite in float, on every backend."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

import opmill
from large_tensors import each_instruction_set

AVERAGE_POOL = opmill.operator("AveragePool", 22)
GLOBAL_AVERAGE_POOL = opmill.operator("GlobalAveragePool", 22)


@each_instruction_set
@pytest.mark.parametrize("backend", opmill.backends())
@pytest.mark.parametrize("dtype", [np.float32, ml_dtypes.bfloat16])
@pytest.mark.parametrize(
    ("shape", "attributes"),
    [
        ((1, 2, 40), {"kernel_shape": [4]}),
        ((1, 2, 40), {"kernel_shape": [4], "strides": [4]}),
        ((1, 1, 3, 40), {"kernel_shape": [3, 4]}),
        ((2, 1, 40, 7), {"kernel_shape": [1, 4], "dilations": [1, 2]}),
        ((1, 3, 40), {"kernel_shape": [40]}),  # a whole plane
        ((1, 1, 4, 3000), {"kernel_shape": [1, 2800]}),  # more than a span of elements
    ],
)
def test_finite_means_do_not_overflow(
    shape: tuple[int, ...],
    attributes: dict[str, Any],
    dtype: Any,
    backend: str,
    instruction_set: str,
) -> None:
    count = int(np.prod(shape))
    x = np.resize(np.array([3e38, 3e38, -3e38, -3e38]), count).astype(dtype).reshape(shape)
    with opmill.use_backend(backend), opmill.use_instruction_set(instruction_set):
        (found,) = AVERAGE_POOL([x], attributes)
    assert np.isfinite(found.astype(np.float64)).all()


@each_instruction_set
@pytest.mark.parametrize("backend", opmill.backends())
@pytest.mark.parametrize("dtype", [np.float32, ml_dtypes.bfloat16])
@pytest.mark.parametrize("size", [4, 60, 2804])
def test_global_means_do_not_overflow(
    size: int, dtype: Any, backend: str, instruction_set: str
) -> None:
    x = np.resize(np.array([3e38, 3e38, -3e38, -3e38]), (2, 3, size)).astype(dtype)
    with opmill.use_backend(backend), opmill.use_instruction_set(instruction_set):
        (found,) = GLOBAL_AVERAGE_POOL([x], {})
    np.testing.assert_array_equal(found.astype(np.float64), 0)
