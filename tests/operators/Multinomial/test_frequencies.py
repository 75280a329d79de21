"""Classes are as frequent as their probabilities say, on every backend."""

from __future__ import annotations

import math

import numpy as np
import pytest

import opmill

SAMPLES = 100_000


@pytest.mark.parametrize("type", [np.float32, np.float64, np.float16])
def test_frequencies(type: type[np.floating]) -> None:
    scores = np.array([[0.0, 1.0, -3.0, 2.5, -np.inf, 0.5], [7.0, 7.0, 7.0, 7.0, 7.0, 7.0]], type)
    operator = opmill.operator("Multinomial", 22)
    [found] = operator([scores], {"sample_size": SAMPLES, "seed": 4.0})
    weights = np.exp(scores.astype(np.float64))
    for row, share in zip(found, weights / weights.sum(axis=1, keepdims=True), strict=True):
        counts = np.bincount(row, minlength=6)
        possible = share > 0
        assert not counts[~possible].any()
        expected = share[possible] * SAMPLES
        squares = ((counts[possible] - expected) ** 2 / expected).sum()
        freedom = possible.sum() - 1
        assert squares < freedom + 4 * math.sqrt(2 * freedom)


def test_backends_agree() -> None:
    generator = np.random.default_rng(1)
    for rows, classes, samples in ((3, 1000, 5000), (700, 7, 3), (1, 2, 10_000), (5, 40_000, 2)):
        scores = generator.normal(size=(rows, classes)) * 5
        found = []
        for backend in opmill.backends():
            with opmill.use_backend(backend):
                operator = opmill.operator("Multinomial", 22)
                found.append(operator([scores], {"sample_size": samples, "dtype": 7})[0].tobytes())
        assert len(set(found)) == 1
