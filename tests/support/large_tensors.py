"""Shared parts of the tests of large tensors: the examples of specs are too small for threads."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import opmill

NEEDS_C = pytest.mark.skipif("c" not in opmill.backends(), reason="there is no C backend")
each_instruction_set = pytest.mark.parametrize("instruction_set", opmill.instruction_sets())


def whole_numbers(shape: tuple[int, ...], dtype: str) -> NDArray[Any]:
    """Numbers from -60 to 60, on which every type and order of work agrees."""
    return np.random.default_rng(0).integers(-60, 61, shape, np.int8).astype(dtype)
