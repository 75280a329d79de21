"""Copies laid side by side by the NumPy kernels: every way that short and long runs are written."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

from opmill._runtime.kernels.repeat import repeat, repeat_runs

DTYPES = (np.uint8, np.int16, np.float32, np.complex128, ml_dtypes.bfloat16)


def numbered(shape: tuple[int, ...], dtype: Any) -> np.ndarray[Any, Any]:
    """Elements that differ from their neighbours, however narrow they are."""
    return (np.arange(np.prod(shape)) % 113).reshape(shape).astype(dtype)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("run", [1, 2, 3, 5, 31, 200])
def test_runs(run: int, dtype: Any) -> None:
    """Few copies, and so many that longer runs are made of them, with and without a remainder."""
    for outer in (1, 4):
        for count in (1, 2, 4, 5, 15, 16, 17, 48, 50, 101):
            runs = numbered((outer, run), dtype)
            target = np.zeros((outer, count, run), dtype)
            repeat_runs(runs, target)
            assert np.array_equal(target, np.stack([runs] * count, axis=1)), (outer, count)


def test_runs_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Several parts, the last of them shorter."""
    monkeypatch.setattr("opmill._runtime.kernels.repeat._CACHED", 100)
    for count in (3, 17):
        runs = numbered((7, 2), np.float32)
        target = np.zeros((7, count, 2), np.float32)
        repeat_runs(runs, target)
        assert np.array_equal(target, np.stack([runs] * count, axis=1))


@pytest.mark.parametrize("dtype", DTYPES)
def test_axes(dtype: Any) -> None:
    """Copies along several axes are what concatenation makes of them, axis by axis."""
    for shape, counts in (
        ((2, 3), (3, 19)),
        ((3, 2, 2), (2, 1, 17)),
        ((1, 5, 1, 2), (4, 1, 3, 33)),
        ((2, 40, 3), (2, 3, 2)),
        ((4,), (1,)),
    ):
        source = numbered(shape, dtype)
        wanted = source
        for axis, count in enumerate(counts):
            wanted = np.concatenate([wanted] * count, axis=axis)
        target = np.zeros(wanted.shape, dtype)
        repeat(source, counts, target)
        assert np.array_equal(target, wanted), (shape, counts)
