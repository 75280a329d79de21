"""Integers to integer powers, bit for bit: the tolerance of int64 is for floating powers."""

from __future__ import annotations

import random

import numpy as np
import pytest

import opmill

EXPONENTS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]


def power(x: int, y: int, bits: int) -> int:
    """x to the power of y as a signed number of so many bits, of a negative one truncated."""
    minimum = -(2 ** (bits - 1))
    if y < 0:
        return {0: minimum, 1: 1, -1: -1 if y % 2 else 1}.get(x, 0)
    return (pow(x, y, 2**bits) - minimum) % 2**bits + minimum


@pytest.mark.parametrize("version", [12, 13, 15])
@pytest.mark.parametrize("exponent", EXPONENTS)
@pytest.mark.parametrize("base", ["int32", "int64"])
@pytest.mark.parametrize("backend", opmill.backends())
def test_powers(backend: str, base: str, exponent: str, version: int) -> None:
    chosen = random.Random(f"{base} {exponent}")
    limits, ends = np.iinfo(base), np.iinfo(exponent)
    near = [0, 1, -1, 2, -2, 3, 7, limits.min, limits.max]
    x = near + [chosen.randint(limits.min, limits.max) for _ in range(400)]
    y = [0, 1, 2, 3, 39, 40, 63, 64, 127, ends.min, ends.max]
    y += [chosen.randint(ends.min, ends.max) for _ in range(20)]
    expected = [[power(a, b, limits.bits) for b in y] for a in x]
    with opmill.use_backend(backend):
        result = opmill.operator("Pow", version)(
            [np.array(x, base)[:, None], np.array(y, exponent)]
        )
    assert result[0].tolist() == expected
