"""The functions of _runtime/kernels/elementary.py have the bits of the C library's."""

from __future__ import annotations

import numpy as np
import pytest

import opmill
from opmill._runtime.kernels import elementary

pytestmark = pytest.mark.skipif("c" not in opmill.backends(), reason="needs the native module")
GENERATOR = np.random.default_rng(1)


def test_exp() -> None:
    x = np.concatenate(
        (
            GENERATOR.uniform(-800, 0, 100_000),
            GENERATOR.uniform(-1e-3, 0, 20_000),
            -(10.0 ** GENERATOR.uniform(-320, 3, 50_000)),
            [-np.inf, 0.0, -745.2, -744.9, -708.4, -1e308],
        )
    )
    with opmill.use_backend("c"):
        [wanted] = opmill.operator("Exp", 13)([x])
    assert elementary.exp(x).tobytes() == wanted.tobytes()


def test_log() -> None:
    x = np.concatenate(
        (
            GENERATOR.random(100_000) + 2.0**-60,
            10.0 ** GENERATOR.uniform(-300, 300, 50_000),
            2.0 ** -GENERATOR.uniform(0, 53, 50_000),
            [1.0, 2.0**-53, 0.5, 1 - 2.0**-53],
        )
    )
    with opmill.use_backend("c"):
        [wanted] = opmill.operator("Log", 13)([x])
    assert elementary.log(x).tobytes() == wanted.tobytes()
