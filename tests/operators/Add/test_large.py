"""Add of tensors that the kernel in C divides among threads."""

from __future__ import annotations

import numpy as np
import pytest

import opmill
from large_tensors import NEEDS_C, each_instruction_set, whole_numbers

pytestmark = [NEEDS_C, pytest.mark.usefixtures("threads")]
ADD = opmill.operator("Add", 14)


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
