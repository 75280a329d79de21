"""The NumPy kernel of Multinomial: random numbers sought in the running sums of the weights."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from opmill._runtime.errors import ContentsError
from opmill._runtime.kernels import random_numbers
from opmill._runtime.kernels.elementary import exp
from opmill._runtime.rule_support import decimal


def compute(input: NDArray[Any], output: NDArray[Any], *, seed: float) -> None:
    """Write the first class whose running sum is above a random share of the row's sum.

    Raises:
        ContentsError: a row states no probabilities. Nothing has been written then.
    """
    if output.size == 0:
        return
    with np.errstate(invalid="ignore"):  # a signalling NaN, which is refused
        scores = np.asarray(input, np.float64)
    _check(scores)
    with np.errstate(over="ignore"):  # differences of the largest doubles
        sums = np.cumsum(exp(scores - scores.max(axis=1, keepdims=True)), axis=1)
    key = random_numbers.key_of(seed)
    numbers = random_numbers.uniform(key, output.size, wide=True).reshape(output.shape)
    for row, sum_ in enumerate(sums):
        output[row] = np.searchsorted(sum_, numbers[row] * sum_[-1], side="right")


def _check(scores: NDArray[Any]) -> None:
    """Raise the error of the first row that has one."""
    legal = scores < np.inf
    finite = legal & (scores > -np.inf)
    wrong = ~legal.all(axis=1) | ~finite.any(axis=1)
    if not wrong.any():
        return
    row = int(np.argmax(wrong))
    if legal[row].all():
        raise ContentsError(f"input[{row}] has no finite element, expected at least 1")
    column = int(np.argmin(legal[row]))
    number = decimal(float(scores[row, column]))
    raise ContentsError(f"input[{row}, {column}] is {number}, expected a finite number or -inf")
