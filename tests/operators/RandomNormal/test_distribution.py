"""Numbers of a fixed seed have the distribution that they are said to have, on every backend."""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import opmill

COUNT = 200_001
TYPES = {"float": 1, "double": 11, "float16": 10, "bfloat16": 16}
SPACING = {"float": 2**-24, "double": 2**-53, "float16": 2**-11, "bfloat16": 2**-8}


def numbers(type: str, backend: str, **attributes: Any) -> NDArray[Any]:
    with opmill.use_backend(backend):
        [found] = opmill.operator("RandomNormal", 22)(
            [], {"shape": [COUNT], "dtype": TYPES[type], **attributes}
        )
    return np.asarray(found)


def distance(found: NDArray[Any]) -> float:
    """The largest difference from the distribution, as Kolmogorov and Smirnov measure it."""
    ordered = np.sort(found.astype(np.float64))
    wanted = np.array([NormalDist().cdf(x) for x in ordered])
    steps = np.arange(COUNT + 1) / COUNT
    return float(max(np.max(steps[1:] - wanted), np.max(wanted - steps[:-1])))


@pytest.mark.parametrize("type", TYPES)
@pytest.mark.parametrize("seed", [0.0, 7.0, -0.5])
def test_moments(type: str, seed: float) -> None:
    found = numbers(type, opmill.backends()[0], seed=seed, mean=3.0, scale=2.0)
    wide = (found.astype(np.float64) - 3) / 2
    assert abs(wide.mean()) < 4 / math.sqrt(COUNT)
    assert abs(wide.var() - 1) < 4 * math.sqrt(2 / COUNT)
    assert abs((wide**3).mean()) < 4 * math.sqrt(15 / COUNT)
    assert abs((wide**4).mean() - 3) < 4 * math.sqrt(96 / COUNT)


@pytest.mark.parametrize("type", TYPES)
def test_distribution(type: str) -> None:
    found = numbers(type, opmill.backends()[0], seed=2.0)
    # 1.95 is exceeded by one seed of a thousand; elements of narrow types fall together.
    assert distance(found) < 1.95 / math.sqrt(COUNT) + 2 * SPACING[type]


def test_neighbours_are_independent() -> None:
    found = numbers("float", opmill.backends()[0], seed=5.0).astype(np.float64)
    for lag in (1, 2, 3, 4, 5, 256):
        assert abs((found[lag:] * found[:-lag]).mean()) < 4 / math.sqrt(COUNT)


@pytest.mark.parametrize("type", TYPES)
def test_backends_agree_to_the_bit(type: str) -> None:
    first, *others = (numbers(type, backend, seed=3.0) for backend in opmill.backends())
    for other in others:
        assert first.tobytes() == other.tobytes()


@pytest.mark.parametrize("type", ["float", "double"])
def test_quantiles(type: str) -> None:
    """Against Python's own quantiles, in the outer tails too."""
    found = numbers(type, "numpy", seed=1.0).astype(np.float64)
    places = np.concatenate((np.argsort(np.abs(found))[-500:], np.arange(500)))
    for x in found[places]:
        back = NormalDist().inv_cdf(NormalDist().cdf(-abs(x)))
        assert abs(back + abs(x)) <= 1e-9 * abs(x)
