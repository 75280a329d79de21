"""AveragePool of planes that the kernel in C sums in whole blocks of elements and windows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

import opmill
from large_tensors import NEEDS_C, each_instruction_set

pytestmark = [NEEDS_C, pytest.mark.usefixtures("threads")]
AVERAGE_POOL = opmill.operator("AveragePool", 22)
SHAPES = [
    (2, 3, 9, 16),
    (1, 5, 7, 33),
    (3, 2, 30, 61),
    (2, 3, 49),
    (1, 2, 5, 6, 19),
    (1, 2, 4, 700),
]
WINDOWS = [(2, 2, 0), (3, 2, 1), (3, 1, 1), (3, 3, 0), (4, 1, 1)]


def windows_of(x: NDArray[Any], size: int, stride: int, pad: int, around: float) -> NDArray[Any]:
    """The elements of each window, along the last axis; padding is `around`."""
    axes = tuple(range(2, x.ndim))
    padded = np.pad(x, ((0, 0),) * 2 + ((pad, pad),) * len(axes), constant_values=around)
    every = (slice(None),) * 2 + (slice(None, None, stride),) * len(axes)
    windows = sliding_window_view(padded, (size,) * len(axes), axes)[every]
    return windows.reshape(*windows.shape[: x.ndim], -1)


def attributes_of(x: NDArray[Any], size: int, stride: int, pad: int) -> dict[str, Any]:
    axes = x.ndim - 2
    return {"kernel_shape": [size] * axes, "strides": [stride] * axes, "pads": [pad] * 2 * axes}


@each_instruction_set
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@pytest.mark.parametrize("window", WINDOWS)
@pytest.mark.parametrize("shape", SHAPES)
def test_means_of_many_windows(
    shape: tuple[int, ...], window: tuple[int, int, int], dtype: str, instruction_set: str
) -> None:
    x = np.random.default_rng(0).integers(-64, 64, shape).astype(dtype)
    attributes = attributes_of(x, *window)
    counts = np.ones(x.shape)
    with opmill.use_instruction_set(instruction_set):
        (found,) = AVERAGE_POOL([x], attributes)
        (with_padding,) = AVERAGE_POOL([x], attributes | {"count_include_pad": 1})
    sums = windows_of(x.astype(np.float64), *window, 0).sum(-1)
    number = windows_of(counts, *window, 0).sum(-1)
    whole = window[0] ** (x.ndim - 2)
    if dtype == "float16":  # a sum of float16 is one of float
        sums = sums.astype(np.float32)
    divided = (sums / number.astype(sums.dtype)).astype(sums.dtype)
    np.testing.assert_allclose(
        found, divided.astype(dtype), rtol=2.0**-10 if dtype == "float16" else 2e-7
    )
    np.testing.assert_allclose(
        with_padding, (sums / whole).astype(dtype), rtol=2.0**-10 if dtype == "float16" else 2e-7
    )


@each_instruction_set
@pytest.mark.parametrize("window", WINDOWS)
def test_the_order_of_sums(window: tuple[int, int, int], instruction_set: str) -> None:
    """Sums that round have the same bits on every instruction set."""
    x = np.random.default_rng(1).standard_normal((2, 5, 31, 45)).astype(np.float32)
    attributes = attributes_of(x, *window)
    with opmill.use_instruction_set(instruction_set):
        (found,) = AVERAGE_POOL([x], attributes)
    with opmill.use_instruction_set("plain"):
        (expected,) = AVERAGE_POOL([x], attributes)
    np.testing.assert_array_equal(found.view(np.uint32), expected.view(np.uint32))


@each_instruction_set
@pytest.mark.parametrize("window", WINDOWS)
def test_a_nan_at_each_place(window: tuple[int, int, int], instruction_set: str) -> None:
    """It reaches the windows that have it alone, although blocks read more than windows have."""
    x = np.zeros((1, 2, 5, 19), np.float32)
    for place in range(x.size):
        x.flat[place] = np.nan
        with opmill.use_instruction_set(instruction_set):
            (found,) = AVERAGE_POOL([x], attributes_of(x, *window))
        expected = np.isnan(windows_of(x, *window, 0)).any(-1)
        np.testing.assert_array_equal(np.isnan(found), expected)
        x.flat[place] = 0


@each_instruction_set
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@pytest.mark.parametrize("size", [3, 4, 7, 14])
def test_windows_that_are_whole_planes(size: int, dtype: str, instruction_set: str) -> None:
    x = np.random.default_rng(2).integers(-64, 64, (3, 7, size, size)).astype(dtype)
    with opmill.use_instruction_set(instruction_set):
        (found,) = AVERAGE_POOL([x], {"kernel_shape": [size, size]})
    expected = x.astype(np.float64).mean((2, 3), keepdims=True)
    np.testing.assert_allclose(found, expected, rtol=2.0**-10 if dtype == "float16" else 2e-7)
