"""Finite results behind sums that leave the range on the way: what the errata of operators allow.

Each call has two rows. The sum of the first, whose large numbers cancel, is 0, and may also be
infinite or NaN; that of the second one, whose numbers are small, is exact.
"""

from __future__ import annotations

from collections.abc import Callable
from math import exp, inf, nan, tanh
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from numpy.typing import NDArray

import opmill
from large_tensors import each_instruction_set

Array = NDArray[Any]
ORDERS = ((1, 1, -1, -1), (1, -1, 1, -1), (-1, -1, 1, 1))
LENGTHS = (4, 64, 300)
LARGEST = {np.float32: 3e38, np.float16: 6e4, ml_dtypes.bfloat16: 3e38}


def ones(*shape: int) -> Array:
    return np.ones(shape)


CALLS: dict[str, tuple[int, Callable[[Array, int], list[Array]], dict[str, Any]]] = {
    "MatMul": (13, lambda x, n: [x, ones(n, 1)], {}),
    "Gemm": (13, lambda x, n: [x, ones(n, 1)], {}),
    "Einsum": (12, lambda x, n: [x, ones(n)], {"equation": "ij,j->i"}),
    "Conv": (22, lambda x, n: [x.reshape(2, n, 1), ones(1, n, 1)], {}),
    "ConvTranspose": (22, lambda x, n: [x.reshape(2, n, 1), ones(n, 1, 1)], {}),
    "DeformConv": (
        22,
        lambda x, n: [x.reshape(2, n, 1, 1), ones(1, n, 1, 1), 0 * ones(2, 2, 1, 1)],
        {},
    ),
    "RNN": (22, lambda x, n: [x[None], ones(1, 1, n), ones(1, 1, 1)], {"hidden_size": 1}),
    "GRU": (22, lambda x, n: [x[None], ones(1, 3, n), ones(1, 3, 1)], {"hidden_size": 1}),
    "LSTM": (22, lambda x, n: [x[None], ones(1, 4, n), ones(1, 4, 1)], {"hidden_size": 1}),
    "Attention": (
        24,
        lambda x, n: [
            x.reshape(2, 1, 1, n),
            ones(2, 1, 2, n),
            np.add(ones(2, 1, 2, 1), [[0], [1]]),
        ],
        {"scale": 1.0},
    ),
}
"""The version, the inputs from the rows and their length, the attributes."""


def sigmoid(x: float) -> float:
    return 0.0 if x == -inf else 1 / (1 + exp(-x))


RESULTS: dict[str, Callable[[float], float]] = {
    "RNN": tanh,
    "GRU": lambda x: (1 - sigmoid(x)) * tanh(x),
    "LSTM": lambda x: sigmoid(x) * tanh(sigmoid(x) * tanh(x)),
}
"""The result of a sum, where it is not the sum itself."""


def results(operator: str, total: float) -> tuple[list[float], float]:
    """The results that the first row may have, and that of the second one, whose sum is total."""
    if operator == "Attention":  # a mean of 1 and 2, with equal weights where the score is finite
        return [1.5, nan], 1.5
    result = RESULTS.get(operator, lambda x: x)
    return [result(0.0), result(inf), result(-inf), nan], result(total)


@each_instruction_set
@pytest.mark.parametrize("backend", opmill.backends())
@pytest.mark.parametrize("operator", CALLS)
def test_an_overflow_on_the_way_gives_what_is_allowed(
    operator: str, backend: str, instruction_set: str
) -> None:
    version, inputs, attributes = CALLS[operator]
    compute = opmill.operator(operator, version)
    for dtype, largest in LARGEST.items():
        if operator == "Einsum" and dtype == ml_dtypes.bfloat16:
            continue  # no type of this operator
        for order in ORDERS:
            for length in LENGTHS:
                large = np.resize(np.array(order), length) * largest
                small = np.resize([0.5, -0.25, 0.25, -0.5, 0.25], length)
                given = [x.astype(dtype) for x in inputs(np.stack((large, small)), length)]
                outputs = len(compute.schema.outputs) if operator in RESULTS else 1
                with opmill.use_backend(backend), opmill.use_instruction_set(instruction_set):
                    found = compute(given, attributes, outputs=outputs)[min(outputs, 2) - 1]
                first, second = found.astype(np.float64).reshape(-1)
                allowed, exact = results(operator, small.sum())
                assert any(np.isclose(first, allowed, rtol=1e-2, equal_nan=True)), (
                    dtype,
                    order,
                    length,
                )
                assert np.isclose(second, exact, rtol=1e-2), (dtype, order, length)
