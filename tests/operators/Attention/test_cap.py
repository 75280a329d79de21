"""A soft cap that the type of Q rounds to 0 is none: a division by it would give NaN."""

from __future__ import annotations

import numpy as np
import pytest

import opmill


@pytest.mark.parametrize("backend", opmill.backends())
@pytest.mark.parametrize("version", [23, 24, 25])
def test_a_cap_that_is_rounded_to_0(version: int, backend: str):
    q = np.ones((1, 1, 1, 1), np.float16)
    k = np.zeros((1, 1, 2, 1), np.float16)
    v = np.array([[[[0], [1]]]], np.float16)
    with opmill.use_backend(backend):
        results = opmill.operator("Attention", version)([q, k, v], {"softcap": 1e-9})
    assert np.ravel(results[0]).tolist() == [0.5]
