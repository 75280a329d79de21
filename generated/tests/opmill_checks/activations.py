"""Activations of single numbers, in Python's floats: what oracles apply to exact sums."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence


def activation(name: str, numbers: Sequence[float]) -> Callable[[float], float]:
    """A function of one number, by its name in ONNX; its parameters are called alpha, beta, gamma.

    NaN stays NaN but in ThresholdedRelu, where it is not above the threshold.
    """
    a, b, g = (*numbers, 0.0, 0.0, 0.0)[:3]
    table: dict[str, Callable[[float], float]] = {
        "Celu": lambda x: celu(x, a),
        "Clip": lambda x: at_most(at_least(x, a), b),
        "Elu": lambda x: below_zero(x, lambda: a * expm1(x)),
        "HardSigmoid": lambda x: clamp(a * x + b, 0.0, 1.0),
        "HardSwish": lambda x: x * clamp(x / 6 + 0.5, 0.0, 1.0),
        "LeakyRelu": lambda x: below_zero(x, lambda: a * x),
        "ParametricSoftplus": lambda x: a * softplus(b * x),
        "Relu": lambda x: below_zero(x, lambda: 0.0),
        "ScaledTanh": lambda x: a * math.tanh(b * x),
        "Selu": lambda x: g * below_zero(x, lambda: a * expm1(x)),
        "Sigmoid": sigmoid,
        "Softplus": softplus,
        "Softsign": lambda x: math.nan if math.isinf(x) else x / (1 + abs(x)),
        "Tanh": math.tanh,
        "ThresholdedRelu": lambda x: x if x > a else 0.0,
    }
    return table[name]


def below_zero(x: float, image: Callable[[], float]) -> float:
    """The image of a number below 0; any other number, and NaN, is its own."""
    return image() if x < 0 else x


def at_least(x: float, low: float) -> float:
    return low if x < low else x


def at_most(x: float, high: float) -> float:
    return high if x > high else x


def clamp(x: float, low: float, high: float) -> float:
    """The number itself between the limits, NaN too."""
    return at_most(at_least(x, low), high)


def exp(x: float) -> float:
    return math.exp(x) if x < 709 else math.inf if x == x else x


def expm1(x: float) -> float:
    return math.expm1(x) if x < 709 else exp(x)


def sigmoid(x: float) -> float:
    return 1 / (1 + exp(-x)) if x >= 0 else exp(x) / (1 + exp(x))


def softplus(x: float) -> float:
    return max(x, 0.0) + math.log1p(exp(-abs(x))) if x == x else x


def celu(x: float, alpha: float) -> float:
    """max(0, x) + min(0, alpha (exp(x / alpha) - 1)), where x / 0 is infinite or NaN."""
    far = math.copysign(math.inf, x) * math.copysign(1.0, alpha) if x else math.nan
    low = alpha * expm1(x / alpha if alpha else far)
    return max(x, 0.0) + min(low, 0.0) if low == low else low
