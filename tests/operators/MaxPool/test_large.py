"""MaxPool of tensors that the kernel in C divides among threads."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import pytest
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

import opmill
from large_tensors import NEEDS_C, each_instruction_set, whole_numbers

pytestmark = [NEEDS_C, pytest.mark.usefixtures("threads")]
MAX_POOL = opmill.operator("MaxPool", 22)
MAX_POOL_12 = opmill.operator("MaxPool", 12)
"""The last version with windows that start in the padding at the end."""


@functools.cache
def windows_of(
    shape: tuple[int, ...], dtype: str, size: int, stride: int, pad: int
) -> tuple[NDArray[Any], NDArray[Any], NDArray[np.int64]]:
    """An input, the largest of each window, and the first place in x of an element like it."""
    x = whole_numbers(shape, dtype)
    axes = tuple(range(2, x.ndim))
    around = ((0, 0),) * 2 + ((pad, pad),) * len(axes)
    lowest = -np.inf if x.dtype.kind == "f" else np.iinfo(x.dtype).min
    padded = np.pad(x, around, constant_values=lowest)
    places = np.pad(np.arange(x.size).reshape(x.shape), around, constant_values=-1)
    every = (slice(None),) * 2 + (slice(None, None, stride),) * len(axes)
    window = (size,) * len(axes)
    shape = (*sliding_window_view(padded, window, axes)[every].shape[: x.ndim], -1)
    windows = sliding_window_view(padded, window, axes)[every].reshape(shape)
    numbers = sliding_window_view(places, window, axes)[every].reshape(shape)
    first = np.where(numbers < 0, False, windows == windows.max(-1, keepdims=True)).argmax(-1)
    found = np.take_along_axis(numbers, first[..., np.newaxis], -1)[..., 0]
    return x, windows.max(-1), found


@each_instruction_set
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "int8", "uint8"])
@pytest.mark.parametrize(
    "shape", [(3, 17, 53, 61), (2, 90, 7, 7), (1, 40, 15, 12), (9, 3, 5, 8, 9)]
)
def test_windows_of_many_planes(shape: tuple[int, ...], dtype: str, instruction_set: str) -> None:
    axes = len(shape) - 2
    for size, stride, pad in ((2, 2, 0), (2, 1, 1), (3, 2, 1), (3, 1, 1), (5, 3, 2), (4, 4, 0)):
        x, largest, places = windows_of(shape, dtype, size, stride, pad)
        attributes = {
            "kernel_shape": [size] * axes, "strides": [stride] * axes, "pads": [pad] * 2 * axes
        }  # fmt: skip
        with opmill.use_instruction_set(instruction_set):
            (found,) = MAX_POOL([x], attributes)
            both = MAX_POOL([x], attributes, outputs=2)
        np.testing.assert_array_equal(found, largest)
        np.testing.assert_array_equal(both[0], found)
        np.testing.assert_array_equal(both[1], places)


@each_instruction_set
@pytest.mark.parametrize(
    ("shape", "dtype", "size", "stride", "outputs", "way"),
    [
        ((2, 90, 7, 7), "float32", 3, 1, 1, "planes"),
        ((2, 90, 7, 8), "float16", 3, 2, 2, "planes"),
        ((2, 90, 7, 7), "float16", 3, 2, 2, "windows"),  # pairs that run across the ends of rows
        ((1, 3, 9, 300, 300), "int8", 3, 2, 1, "planes"),  # in bands, along a third axis
        ((2, 90, 7, 8), "int8", 3, 2, 2, "windows"),
        ((3, 4, 5000), "float32", 3, 2, 1, "rows"),
        ((3, 4, 50, 70), "float64", 20, 1, 1, "rows"),
        ((3, 4, 50, 70), "uint8", 3, 3, 1, "planes"),
        ((3, 4, 50, 70), "uint8", 10, 9, 1, "rows"),
        ((3, 4, 50, 70), "float32", 3, 3, 2, "windows"),
    ],
)
def test_the_ways_of_pools(
    shape: tuple[int, ...],
    dtype: str,
    size: int,
    stride: int,
    outputs: int,
    way: str,
    instruction_set: str,
) -> None:
    x = whole_numbers(shape, dtype)
    axes = len(shape) - 2
    attributes = {"kernel_shape": [size] * axes, "strides": [stride] * axes}
    with opmill.use_instruction_set(instruction_set):
        choice = MAX_POOL.explain([x], attributes, outputs=outputs)
    assert choice.kernel == ("windows" if instruction_set == "plain" else way)


@each_instruction_set
@pytest.mark.parametrize(("before", "after"), [(115, 115), (0, 300), (300, 0)])
@pytest.mark.parametrize("shape", [(2, 3, 13, 37), (1, 2, 3, 13, 37)])
def test_windows_of_padding_alone(
    shape: tuple[int, ...], before: int, after: int, instruction_set: str
) -> None:
    """So many of them that whole bands of rows are above all elements, or below."""
    x = whole_numbers(shape, "float32")
    deep = len(shape) - 4
    around = [*[(0, 0)] * (2 + deep), (before, after), (1, 1)]
    padded = np.pad(x, around, constant_values=-np.inf)
    kernel = [1] * deep + [3, 3]
    windows = sliding_window_view(padded, kernel, tuple(range(2, x.ndim)))
    expected = windows[..., ::2, ::2, *[slice(None)] * len(kernel)].max(axis=(-1, -2))
    attributes = {
        "kernel_shape": kernel,
        "strides": [1] * deep + [2, 2],
        "pads": [*[0] * deep, before, 1, *[0] * deep, after, 1],
    }
    with opmill.use_instruction_set(instruction_set):
        (found,) = MAX_POOL_12([x], attributes)
    np.testing.assert_array_equal(found, expected.reshape(found.shape))


@each_instruction_set
@pytest.mark.parametrize("special", [np.nan, -np.inf, -0.0])
@pytest.mark.parametrize(
    ("kernel", "strides"), [(3, [1, 2]), (3, [1, 1]), (3, [2, 2]), (2, [1, 1]), (2, [2, 2])]
)
@pytest.mark.parametrize("shape", [(2, 45, 9, 10), (2, 9, 8, 71)])
def test_windows_of_planes_with_numbers_of_their_own_kind(
    special: float, kernel: int, strides: list[int], shape: tuple[int, ...], instruction_set: str
) -> None:
    """One plane of many has such an element, or zeros of both signs."""
    x = np.maximum(whole_numbers(shape, "float32"), 0)
    x[1, 7, 3:5, 2:9] = special
    x[1, 7, 6, -1] = special
    attributes = {"kernel_shape": [kernel] * 2, "strides": strides, "pads": [1, 1, 1, 1]}
    with opmill.use_instruction_set(instruction_set):
        alone, both = MAX_POOL([x], attributes)[0], MAX_POOL([x], attributes, outputs=2)
    with opmill.use_instruction_set("plain"):
        expected = MAX_POOL([x], attributes, outputs=2)
    for result in (alone, both[0]):
        np.testing.assert_array_equal(result.view(np.uint32), expected[0].view(np.uint32))
    np.testing.assert_array_equal(both[1], expected[1])


@each_instruction_set
@pytest.mark.parametrize("stride", [1, 2])
@pytest.mark.parametrize("size", [2, 3])
def test_a_nan_at_each_place(size: int, stride: int, instruction_set: str) -> None:
    """Every vector of a small window looks at all of its elements."""
    x = np.zeros((1, 1, 4, 37), np.float32)
    attributes = {"kernel_shape": [size] * 2, "strides": [stride] * 2, "pads": [1, 1, 1, 1]}
    for place in range(x.size):
        x.flat[place] = np.nan
        with opmill.use_instruction_set(instruction_set):
            (found,) = MAX_POOL([x], attributes)
        with opmill.use_instruction_set("plain"):
            (expected,) = MAX_POOL([x], attributes)
        np.testing.assert_array_equal(found, expected)
        x.flat[place] = 0
