"""Signs of zeros, where the accuracy of a spec compares numbers and so takes 0.0 for -0.0."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

import opmill

SIGNED = {
    # operator version: inputs whose results are -0.0, inputs whose results are 0.0
    ("Ceil", 13): ([-0.0, -0.5, -0.75], [0.0]),
    ("Floor", 13): ([-0.0], [0.0, 0.5, 0.75]),
    ("LeakyRelu", 16): ([-0.0], [0.0]),
    ("Reciprocal", 13): ([-np.inf], [np.inf]),
    ("Round", 22): ([-0.0, -0.25, -0.5], [0.0, 0.25, 0.5]),
    ("Sqrt", 13): ([-0.0], [0.0]),
}
TYPES = (np.float16, np.float32, np.float64, ml_dtypes.bfloat16)


@pytest.mark.parametrize("backend", ["c", "numpy"])
@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("version", SIGNED, ids=lambda version: "-".join(map(str, version)))
def test_signs(version: tuple[str, int], dtype: type, backend: str):
    for negative, values in zip((True, False), SIGNED[version], strict=True):
        x = np.array(values * 40, dtype)
        with opmill.use_backend(backend):
            result = np.asarray(opmill.operator(*version)([x], {})[0])
        assert (result == 0).all()
        assert (np.signbit(result) == negative).all()
