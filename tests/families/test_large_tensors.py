"""Tensors that kernels in C divide among threads: the examples of specs are too small for it."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

import opmill

NON_ZERO = opmill.operator("NonZero", 13)
RELU = opmill.operator("Relu", 14)
ADD = opmill.operator("Add", 14)
CAST = opmill.operator("Cast", 25)
MAX_POOL = opmill.operator("MaxPool", 22)
MAX_POOL_12 = opmill.operator("MaxPool", 12)
"""The last version with windows that start in the padding at the end."""
REDUCE_SUM = opmill.operator("ReduceSum", 13)
CONCAT = opmill.operator("Concat", 13)
SPLIT = opmill.operator("Split", 13)

pytestmark = pytest.mark.skipif("c" not in opmill.backends(), reason="there is no C backend")
each_instruction_set = pytest.mark.parametrize("instruction_set", opmill.instruction_sets())


@pytest.fixture(params=[1, 2, 3], autouse=True)
def _threads(request: pytest.FixtureRequest) -> Iterator[None]:
    """So many threads, whatever this machine has."""
    before = opmill.get_threads()
    opmill.set_threads(request.param)
    yield
    opmill.set_threads(before)


def whole_numbers(shape: tuple[int, ...], dtype: str) -> NDArray[Any]:
    """Numbers from -60 to 60, on which every type and order of work agrees."""
    return np.random.default_rng(0).integers(-60, 61, shape).astype(dtype)


def sparse(dtype: str) -> NDArray[Any]:
    """Chunks with many elements that are not zero, with one, and with none."""
    x = np.zeros((5, 401, 103), dtype)
    x[0] = np.random.default_rng(0).integers(0, 2, x[0].shape)
    x[2, 7, 5] = x[4, 400, 102] = 1
    return x


@each_instruction_set
@pytest.mark.parametrize("dtype", ["bool", "int16", "float32", "float64"])
def test_non_zero_in_chunks(dtype: str, instruction_set: str) -> None:
    x = sparse(dtype)
    assert x.size > 4 * 2**15
    with opmill.use_instruction_set(instruction_set):
        (found,) = NON_ZERO([x], {})
    np.testing.assert_array_equal(found, np.stack(np.nonzero(x)))


def test_non_zero_of_zeros_in_chunks() -> None:
    (found,) = NON_ZERO([np.zeros((70, 2000), np.float32)], {})
    assert found.shape == (2, 0)


@each_instruction_set
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "int8", "int64"])
def test_an_elementwise_function_of_many_elements(dtype: str, instruction_set: str) -> None:
    x = whole_numbers((400_003,), dtype)
    with opmill.use_instruction_set(instruction_set):
        (found,) = RELU([x], {})
    np.testing.assert_array_equal(found, np.where(x < 0, 0, x))


@each_instruction_set
def test_elements_that_go_around_the_caches(instruction_set: str) -> None:
    x = whole_numbers((67_108_901,), "int8")  # 64 MiB and a little
    with opmill.use_instruction_set(instruction_set):
        around = RELU.explain([x], {}).kernel.endswith("+stream")
        assert around == (instruction_set != "plain")
        (found,) = RELU([x], {})
        np.testing.assert_array_equal(found, np.maximum(x, 0))
        (found,) = ADD([x, x[:1]], {})
    np.testing.assert_array_equal(found, x + x[:1])


@each_instruction_set
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "int32", "uint8"])
@pytest.mark.parametrize(
    ("a", "b"),
    [
        ((400_003,), (400_003,)),
        ((400_003,), ()),
        ((601, 701), (601, 1)),
        ((601, 701), (701,)),
        ((100_001, 3), (3,)),
        ((61, 1, 83), (1, 71, 1)),
    ],
)
def test_sums_of_many_elements(
    a: tuple[int, ...], b: tuple[int, ...], dtype: str, instruction_set: str
) -> None:
    x, y = whole_numbers(a, dtype), whole_numbers(b, dtype)
    with opmill.use_instruction_set(instruction_set):
        (found,) = ADD([x, y], {})
    np.testing.assert_array_equal(found, x + y)


@each_instruction_set
@pytest.mark.parametrize(
    ("source", "to", "number"),
    [
        ("float32", "int8", 3),
        ("int64", "float16", 10),
        ("float64", "float32", 1),
        ("int8", "bool", 9),
    ],
)
def test_many_conversions(source: str, to: str, number: int, instruction_set: str) -> None:
    x = whole_numbers((300_007,), source)
    with opmill.use_instruction_set(instruction_set):
        (found,) = CAST([x], {"to": number})
    np.testing.assert_array_equal(found, x.astype(to), strict=True)


def floats_of_all_kinds(dtype: str) -> NDArray[Any]:
    """Floats of every exponent and sign, infinities and NaNs among them, and those around them."""
    spread = np.arange(0, 2**32, 16411, np.uint64)
    edges = (np.arange(512, dtype=np.uint64) << 23)[:, np.newaxis]
    around = (edges + np.arange(-2, 3).astype(np.uint64)) % 2**32
    bits = np.concatenate([spread, around.ravel()]).astype(np.uint32)
    with np.errstate(invalid="ignore"):  # signalling NaNs
        return bits.view(np.float32).astype(dtype)


@each_instruction_set
@pytest.mark.parametrize("source", ["float32", "float64"])
@pytest.mark.parametrize(
    ("to", "number"),
    [("float8_e4m3fn", 17), ("float8_e4m3fnuz", 18), ("float8_e5m2", 19), ("float8_e5m2fnuz", 20)],
)
def test_floats_of_all_kinds_in_eight_bits(
    to: str, number: int, source: str, instruction_set: str
) -> None:
    x = floats_of_all_kinds(source)
    with opmill.use_instruction_set(instruction_set):
        (found,) = CAST([x], {"to": number, "saturate": 0})
    with np.errstate(all="ignore"):
        expected = x.astype(to)
    same = found.view(np.uint8) == expected.view(np.uint8)
    assert np.all(same | (np.isnan(found) & np.isnan(expected)))


@each_instruction_set
@pytest.mark.parametrize("source", ["float32", "float64"])
@pytest.mark.parametrize(("to", "number"), [("int8", 3), ("uint16", 4), ("int32", 6)])
def test_floats_of_all_kinds_as_integers(
    to: str, number: int, source: str, instruction_set: str
) -> None:
    x = floats_of_all_kinds(source)
    fits = np.abs(x) < 2.0**63
    assert not np.all(fits)
    whole = np.where(fits, x, 0).astype(np.int64)  # what is larger is a multiple of 2^40
    for chosen in (slice(None), np.abs(x) < 2.0**31):  # with blocks that do not fit, without
        with opmill.use_instruction_set(instruction_set):
            (found,) = CAST([x[chosen]], {"to": number})
        np.testing.assert_array_equal(found, whole[chosen].astype(to), strict=True)


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
    for size, stride, pad in ((2, 2, 0), (3, 2, 1), (3, 1, 1), (5, 3, 2), (4, 4, 0)):
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
        told = MAX_POOL.explain([x], attributes, outputs=outputs)
    assert told.kernel == ("windows" if instruction_set == "plain" else way)


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
def test_windows_of_planes_with_numbers_of_their_own_kind(
    special: float, instruction_set: str
) -> None:
    """One plane of many has such an element, or zeros of both signs."""
    x = np.maximum(whole_numbers((2, 45, 9, 10), "float32"), 0)
    x[1, 7, 3:5, 2:9] = special
    attributes = {"kernel_shape": [3, 3], "strides": [1, 2], "pads": [1, 1, 1, 1]}
    with opmill.use_instruction_set(instruction_set):
        alone, both = MAX_POOL([x], attributes)[0], MAX_POOL([x], attributes, outputs=2)
    with opmill.use_instruction_set("plain"):
        expected = MAX_POOL([x], attributes, outputs=2)
    for result in (alone, both[0]):
        np.testing.assert_array_equal(result.view(np.uint32), expected[0].view(np.uint32))
    np.testing.assert_array_equal(both[1], expected[1])


@each_instruction_set
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "int32", "uint64"])
@pytest.mark.parametrize(
    ("shape", "axes", "way"),
    [
        ((200003,), (0,), "whole"),  # in parts, the last one shorter
        ((301, 433), (1,), "rows"),
        ((7, 130, 130), (0, 2), "rows"),  # each in several stretches
        ((433, 301), (0,), "columns"),  # more than one group of them
        ((5, 101, 3, 301), (1, 2), "columns"),  # of several matrices
        ((70001, 3), (0,), "columns+fold"),
        ((5, 301, 3, 30), (1,), "columns+fold"),
    ],
)
def test_sums_along_axes(
    shape: tuple[int, ...], axes: tuple[int, ...], way: str, dtype: str, instruction_set: str
) -> None:
    x = whole_numbers(shape, dtype)
    with opmill.use_instruction_set(instruction_set):
        assert REDUCE_SUM.explain([x, np.array(axes)], {}).kernel == way
        (found,) = REDUCE_SUM([x, np.array(axes)], {"keepdims": 0})
    np.testing.assert_array_equal(found, x.sum(axes, np.int64).astype(dtype))


@pytest.mark.parametrize(
    ("shape", "axes"),
    [((200003,), (0,)), ((3, 70001), (1,)), ((70001, 3), (0,)), ((301, 433), (0,))],
)
def test_sums_have_the_same_bits_everywhere(shape: tuple[int, ...], axes: tuple[int, ...]) -> None:
    x = np.random.default_rng(0).standard_normal(shape, np.float32)
    threads = opmill.get_threads()
    opmill.set_threads(1)
    with opmill.use_instruction_set("plain"):
        (expected,) = REDUCE_SUM([x, np.array(axes)], {})
    opmill.set_threads(threads)
    for instruction_set in opmill.instruction_sets():
        with opmill.use_instruction_set(instruction_set):
            (found,) = REDUCE_SUM([x, np.array(axes)], {})
        assert found.tobytes() == expected.tobytes()


PARTS = [
    # the shape of the whole, the axis along which it is cut, the lengths of the parts
    ((3_000_017,), 0, [1, 1_000_000, 0, 2_000_016]),
    ((2003, 1501), 1, [1, 2, 4, 7, 8, 15, 64, 600, 800]),
    ((100_003, 30), 1, [1] * 16 + [2, 3, 4, 5]),
    ((7, 3, 150_001), 1, [1, 2]),
]
"""Few long strips, many of all lengths, short ones, and rows that no block holds."""


@pytest.mark.parametrize("dtype", ["uint8", "int16", "float32", "complex128"])
@pytest.mark.parametrize(("shape", "axis", "lengths"), PARTS)
def test_strips_of_many_bytes(
    shape: tuple[int, ...], axis: int, lengths: list[int], dtype: str
) -> None:
    x = np.arange(int(np.prod(shape))).astype(dtype).reshape(shape)
    wanted = np.split(x, np.cumsum(lengths)[:-1], axis)
    split = np.array(lengths)
    parts = SPLIT([x, split], {"axis": axis}, outputs=len(lengths))
    (whole,) = CONCAT(wanted, {"axis": axis})
    np.testing.assert_array_equal(whole, x)
    for part, right in zip(parts, wanted, strict=True):
        np.testing.assert_array_equal(part, right)


@each_instruction_set
def test_strips_that_go_around_the_caches(instruction_set: str) -> None:
    x = whole_numbers((8209, 8192), "int8")  # 64 MiB and a little
    with opmill.use_instruction_set(instruction_set):
        around = SPLIT.explain([x], {"axis": 1}, outputs=2).kernel.endswith("+stream")
        assert around == (instruction_set != "plain")
        parts = SPLIT([x], {"axis": 1}, outputs=2)
        (whole,) = CONCAT(parts, {"axis": 1})
    np.testing.assert_array_equal(parts[1], x[:, 4096:])
    np.testing.assert_array_equal(whole, x)
