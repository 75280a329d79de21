"""The error of float products, against double, on random shapes, is within the specs' bound."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

import opmill

pytestmark = pytest.mark.operators("MatMul", "Gemm")

SHAPES = 1000
UNIT = 2.0**-24
"""The unit roundoff of float32."""


def sides(rng: np.random.Generator) -> tuple[int, int, int]:
    """Rows, terms and columns: about each power of two as often, at most 2^19 products."""
    while True:
        m, k, n = (int(2 ** rng.uniform(0, 9)) for _ in range(3))
        if m * k * n <= 2**19:
            return m, k, n


def excess(a: NDArray[np.float32], b: NDArray[np.float32], y: NDArray[np.float32]) -> float:
    """The largest error, in units of the bound."""
    exact = np.matmul(a.astype(np.float64), b.astype(np.float64))
    magnitudes = np.matmul(abs(a).astype(np.float64), abs(b).astype(np.float64))
    bound = (a.shape[-1] + 1) * UNIT * magnitudes + 1e-30
    return float(np.max(abs(y - exact) / bound, initial=0.0))


@pytest.mark.parametrize("isa", opmill.instruction_sets())
def test_the_error_of_a_product_is_within_its_bound(isa: str) -> None:
    rng = np.random.default_rng(1)
    with opmill.use_instruction_set(isa):
        for _ in range(SHAPES):
            m, k, n = sides(rng)
            a = rng.standard_normal((m, k)).astype(np.float32)
            b = rng.standard_normal((k, n)).astype(np.float32)
            (y,) = opmill.operator("MatMul", 13)([a, b])
            assert excess(a, b, y) <= 1, (m, k, n)
            turned = {"transA": 1, "transB": 1}
            (y,) = opmill.operator("Gemm", 13)([a.T.copy(), b.T.copy()], turned)
            assert excess(a, b, y) <= 1, (m, k, n)


def test_the_bound_is_one_that_wrong_products_exceed() -> None:
    rng = np.random.default_rng(1)
    a = rng.standard_normal((7, 300)).astype(np.float32)
    b = rng.standard_normal((300, 5)).astype(np.float32)
    assert excess(a, b, np.matmul(a[:, :-1], b[:-1])) > 1
    narrow = np.matmul(a.astype(np.float16), b.astype(np.float16))
    assert excess(a, b, narrow.astype(np.float32)) > 1


@pytest.mark.parametrize("shape", [(1, 700, 3000), (300, 40, 500), (64, 513, 64), (1000, 64, 1)])
def test_threads_do_not_change_a_bit(shape: tuple[int, int, int]) -> None:
    rng = np.random.default_rng(2)
    m, k, n = shape
    a = rng.standard_normal((m, k)).astype(np.float32)
    b = rng.standard_normal((k, n)).astype(np.float32)
    results = set()
    before = opmill.get_threads()
    try:
        for threads in (1, 2, 5):
            opmill.set_threads(threads)
            results.add(opmill.operator("MatMul", 13)([a, b])[0].tobytes())
    finally:
        opmill.set_threads(before)
    assert len(results) == 1
