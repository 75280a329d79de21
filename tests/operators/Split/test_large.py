"""Split of tensors that the kernel in C divides among threads."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from numpy.typing import NDArray

import opmill
from large_tensors import NEEDS_C, each_instruction_set, whole_numbers

pytestmark = [NEEDS_C, pytest.mark.usefixtures("threads")]
CONCAT = opmill.operator("Concat", 13)
SPLIT = opmill.operator("Split", 13)


PARTS = [
    # the shape of the whole, the axis along which it is cut, the lengths of the parts
    ((3_000_017,), 0, [1, 1_000_000, 0, 2_000_016]),
    ((2003, 1501), 1, [1, 2, 4, 7, 8, 15, 64, 600, 800]),
    ((100_003, 30), 1, [1] * 16 + [2, 3, 4, 5]),
    ((7, 3, 150_001), 1, [1, 2]),
    ((1009, 5000), 1, [256] * 15 + [0, 129, 128, 0, 1, 902]),
]
"""Few long strips, many of all lengths, short ones, rows that no block holds, and more parts than
are moved at a time."""


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


@cache
def larger_than_caches() -> NDArray[np.int8]:
    """64 MiB and a little."""
    return whole_numbers((8209, 8192), "int8")


@each_instruction_set
def test_strips_that_go_around_the_caches(instruction_set: str) -> None:
    x = larger_than_caches()
    with opmill.use_instruction_set(instruction_set):
        around = SPLIT.explain([x], {"axis": 1}, outputs=2).kernel.endswith("+stream")
        assert around == (instruction_set != "plain")
        parts = SPLIT([x], {"axis": 1}, outputs=2)
        (whole,) = CONCAT(parts, {"axis": 1})
    assert np.array_equal(parts[1], x[:, 4096:])
    assert np.array_equal(whole, x)
