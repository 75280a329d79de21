"""Ones are as frequent as their probabilities say."""

from __future__ import annotations

import math

import numpy as np
import pytest

import opmill

COUNT = 200_001
CHANCES = (0.001, 0.03, 0.25, 0.5, 0.9, 0.9999)


@pytest.mark.parametrize("chance", CHANCES)
@pytest.mark.parametrize("type", [np.float32, np.float64, np.float16])
def test_frequency(chance: float, type: type[np.floating]) -> None:
    p = np.full(COUNT, chance, type)
    [found] = opmill.operator("Bernoulli", 22)([p], {"seed": 2.0, "dtype": 9})
    exact = float(p[0])
    assert abs(found.mean() - exact) <= 4 * math.sqrt(exact * (1 - exact) / COUNT)


@pytest.mark.parametrize("type", [np.float32, np.float64, np.float16])
def test_backends_agree(type: type[np.floating]) -> None:
    p = np.random.default_rng(1).random(COUNT).astype(type)
    found = []
    for backend in opmill.backends():
        with opmill.use_backend(backend):
            found.append(opmill.operator("Bernoulli", 22)([p], {"seed": 3.0})[0].tobytes())
    assert len(set(found)) == 1
