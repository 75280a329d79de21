"""ReduceMax and ReduceMin of rows that the kernel in C compares in lanes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import opmill
from large_tensors import NEEDS_C, each_instruction_set

pytestmark = [NEEDS_C, pytest.mark.usefixtures("threads")]
REDUCE_MAX = opmill.operator("ReduceMax", 20)
REDUCE_MIN = opmill.operator("ReduceMin", 20)
LENGTHS = [1, 31, 32, 63, 64, 65, 127, 128, 200, 1024, 1025, 2500]


def both(x: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    axes = np.array([1])
    return REDUCE_MAX([x, axes], {"keepdims": 0})[0], REDUCE_MIN([x, axes], {"keepdims": 0})[0]


@each_instruction_set
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@pytest.mark.parametrize("length", LENGTHS)
def test_extremes_of_rows(length: int, dtype: str, instruction_set: str) -> None:
    """Of finite numbers, of large ones, of those with infinities of one sign and of both."""
    x = np.random.default_rng(0).standard_normal((8, length)).astype(dtype)
    x[1] = np.finfo(dtype).max
    x[2, -1] = np.inf
    x[3, 0] = -np.inf
    x[4, 0], x[4, -1] = np.inf, -np.inf
    x[5] = -np.inf
    x[6] = np.inf
    x[7] = np.finfo(dtype).min
    with opmill.use_instruction_set(instruction_set):
        largest, smallest = both(x)
    np.testing.assert_array_equal(largest, x.max(1))
    np.testing.assert_array_equal(smallest, x.min(1))


@each_instruction_set
@pytest.mark.parametrize("special", [np.nan, np.inf, -np.inf, -0.0])
@pytest.mark.parametrize("length", [63, 64, 137])
def test_an_element_at_each_place(length: int, special: float, instruction_set: str) -> None:
    x = np.zeros((length, length), np.float32)
    np.fill_diagonal(x, special)
    with opmill.use_instruction_set(instruction_set):
        found = both(x)
    with opmill.use_instruction_set("plain"):
        expected = both(x)
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_array_equal(np.isnan(one), np.isnan(other))
        numbers = ~np.isnan(one)
        assert one[numbers].tobytes() == other[numbers].tobytes()
    np.testing.assert_array_equal(np.isnan(found[0]), np.isnan(np.full(length, special)))
