"""The error of transforms of any length is below what their specs state."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import opmill

LENGTHS = (2, 3, 7, 16, 60, 97, 125, 127, 128, 243, 256, 509, 510, 1000, 1009, 1024, 4095, 4096)
HALF = 0.7071067811865476


def roots(length: int) -> list[tuple[float, float]]:
    """Cosine and sine of each multiple of a turn's share, from an angle of an eighth at most."""
    result = []
    for k in range(length):
        eighth, rest = divmod(8 * k, length)
        angle = 2 * math.pi * rest / (8 * length)
        c, s = math.cos(angle), math.sin(angle)
        if eighth % 2:
            c, s = HALF * (c - s), HALF * (c + s)
        for _ in range(eighth // 2):
            c, s = -s, c
        result.append((c, s))
    return result


def plain_sum(x: Sequence[complex], bin: int, turns: Sequence[tuple[float, float]]) -> complex:
    """A result, added up without rounding."""
    real: list[float] = []
    imaginary: list[float] = []
    for j, number in enumerate(x):
        c, s = turns[j * bin % len(x)]
        real += [number.real * c, number.imag * s]
        imaginary += [number.imag * c, -number.real * s]
    return complex(math.fsum(real), math.fsum(imaginary))


def transformed(x: NDArray[Any], columns: int, **attributes: int) -> NDArray[Any]:
    """The transform of a signal, alone or side by side with others."""
    operator = opmill.operator("DFT", 20)
    signals = np.repeat(x[:, np.newaxis], columns, 1)
    (result,) = operator([signals, None, np.array(0)], attributes)
    assert all(np.array_equal(result[:, 0], result[:, k]) for k in range(columns))
    return result[:, 0]


@pytest.mark.parametrize("backend", opmill.backends())
@pytest.mark.parametrize("length", LENGTHS)
def test_errors(length: int, backend: str) -> None:
    chance = np.random.default_rng(length)
    x = chance.standard_normal((length, 2)).astype(np.float32)
    signal = [complex(re, im) for re, im in x.tolist()]
    norm = math.sqrt(sum(abs(number) ** 2 for number in signal))
    bound = 2.0**-51 * math.log2(2 * length) * math.sqrt(length) * norm
    turns = roots(length)
    bins = sorted(
        {*range(min(4, length)), length // 2, length - 1, *chance.integers(length, size=8)}
    )
    with opmill.use_backend(backend):
        double = transformed(x.astype(np.float64), 1)
        beside = transformed(x.astype(np.float64), 9)
        single = transformed(x, 1)
        back = transformed(double, 1, inverse=1)
    assert np.abs(back - x).max() <= 2 * bound / length
    for bin in map(int, bins):
        right = plain_sum(signal, bin, turns)
        for result in (double, beside):
            assert abs(complex(*result[bin]) - right) <= bound
        for got, wanted in zip(single[bin].tolist(), (right.real, right.imag), strict=True):
            assert abs(got - wanted) <= 2.0**-24 * abs(wanted) + bound


@pytest.mark.parametrize("backend", opmill.backends())
@pytest.mark.parametrize("length", LENGTHS)
def test_real_signals(length: int, backend: str) -> None:
    chance = np.random.default_rng(length)
    x = chance.standard_normal((length, 1))
    bound = 2.0**-51 * math.log2(2 * length) * math.sqrt(length) * float(np.linalg.norm(x))
    whole = np.concatenate([x, np.zeros_like(x)], 1)
    operator = opmill.operator("DFT", 20)
    with opmill.use_backend(backend):
        expected = transformed(whole, 1)
        half = transformed(x, 1, onesided=1)
        both = transformed(x, 1)
        conjugates = transformed(x, 1, inverse=1)
        attributes = {"inverse": 1, "onesided": 1}
        (back,) = operator([half, np.array(length), np.array(0)], attributes)
    assert np.abs(half - expected[: length // 2 + 1]).max() <= 2 * bound
    assert np.abs(both - expected).max() <= 2 * bound
    assert np.abs(conjugates * [length, -length] - expected).max() <= 3 * bound
    assert np.abs(back - x).max() <= 2 * bound / math.sqrt(length)
