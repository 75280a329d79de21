"""ReduceSum of tensors that the kernel in C divides among threads."""

from __future__ import annotations

import numpy as np
import pytest

import opmill
from large_tensors import NEEDS_C, each_instruction_set, whole_numbers

pytestmark = [NEEDS_C, pytest.mark.usefixtures("threads")]
REDUCE_SUM = opmill.operator("ReduceSum", 13)


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
