"""Activations that an operator applies to its own results, by the numbers that rules give them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from opmill._runtime.kernels.functions import celu, elu, sigmoid, softplus
from opmill._runtime.types import Array


def activated(number: int, alpha: Any, beta: Any, x: Array, gamma: Any = 1.0) -> Array:
    """The images of float32 or double numbers, in their type, as alpha and beta are."""
    table: list[Callable[[], Any]] = [
        lambda: alpha * x + beta,
        lambda: elu(x, float(alpha)),
        lambda: np.clip(alpha * x + beta, 0, 1),
        lambda: np.where(x >= 0, x, alpha * x),
        lambda: np.maximum(x, 0),
        lambda: alpha * np.tanh(beta * x),
        lambda: sigmoid(x),
        lambda: softplus(x),
        lambda: x / (1 + np.abs(x)),
        lambda: np.tanh(x),
        lambda: np.where(x >= alpha, x, 0),
        lambda: np.where(x > alpha, x, 0),
        lambda: celu(x, float(alpha)),
        lambda: _clipped(x, alpha, beta),
        lambda: x * np.clip(x / 6 + x.dtype.type(0.5), 0, 1),
        lambda: alpha * softplus(beta * x),
        lambda: elu(x, float(alpha), float(gamma)),
    ]
    result: Array = table[number]().astype(x.dtype)
    return result


def _clipped(x: Array, low: Any, high: Any) -> Array:
    """Numbers between two limits; a limit that is NaN is none."""
    above: Array = np.where(x < low, low, x)
    return np.where(above > high, high, above)
