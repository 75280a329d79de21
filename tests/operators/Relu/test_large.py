"""Relu of tensors that the kernel in C divides among threads."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from numpy.typing import NDArray

import opmill
from large_tensors import NEEDS_C, each_instruction_set, whole_numbers

pytestmark = [NEEDS_C, pytest.mark.usefixtures("threads")]
RELU = opmill.operator("Relu", 14)
ADD = opmill.operator("Add", 14)


@each_instruction_set
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "int8", "int64"])
def test_an_elementwise_function_of_many_elements(dtype: str, instruction_set: str) -> None:
    x = whole_numbers((400_003,), dtype)
    with opmill.use_instruction_set(instruction_set):
        (found,) = RELU([x], {})
    np.testing.assert_array_equal(found, np.where(x < 0, 0, x))


@cache
def larger_than_caches() -> NDArray[np.int8]:
    """64 MiB and a little."""
    return whole_numbers((67_108_901,), "int8")


@each_instruction_set
def test_elements_that_go_around_the_caches(instruction_set: str) -> None:
    x = larger_than_caches()
    with opmill.use_instruction_set(instruction_set):
        around = RELU.explain([x], {}).kernel.endswith("+stream")
        assert around == (instruction_set != "plain")
        (found,) = RELU([x], {})
        assert np.array_equal(found, np.maximum(x, 0))
        (found,) = ADD([x, x[:1]], {})
    assert np.array_equal(found, x + x[:1])
