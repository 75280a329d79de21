"""The NumPy kernel of Bernoulli: uniform random numbers below the probabilities."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from opmill._runtime.errors import ContentsError
from opmill._runtime.kernels import random_numbers
from opmill._runtime.rule_support import decimal, listed


def compute(input: NDArray[Any], output: NDArray[Any], *, seed: float) -> None:
    """Write 1 where the random number is less than the probability, and 0 elsewhere.

    Raises:
        ContentsError: an element is no probability. Nothing has been written then.
    """
    with np.errstate(invalid="ignore"):  # a signalling NaN, which is refused
        chances = np.asarray(input, np.float64)
    legal = (chances >= 0) & (chances <= 1)
    if not legal.all():
        index = np.unravel_index(int(np.argmin(legal)), legal.shape)
        where = listed([int(i) for i in index]) if index else ""
        raise ContentsError(f"input{where} is {decimal(float(chances[index]))}, expected 0 to 1")
    key, wide = random_numbers.key_of(seed), input.dtype == np.float64
    numbers = random_numbers.uniform(key, input.size, wide=wide).reshape(input.shape)
    output[...] = numbers < chances
