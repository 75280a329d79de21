"""NonZero of tensors that the kernel in C divides among threads."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import opmill
from large_tensors import NEEDS_C, each_instruction_set

pytestmark = [NEEDS_C, pytest.mark.usefixtures("threads")]
NON_ZERO = opmill.operator("NonZero", 13)


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
