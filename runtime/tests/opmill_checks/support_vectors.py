"""Reference of support vector machines: kernel functions of exact sums, and probabilities."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from opmill_checks.estimators import exact_sum, floats


def kernel_value(attributes: Mapping[str, Any], x: Sequence[float], v: Sequence[float]) -> float:
    """The kernel function of a row and a support vector."""
    kind = attributes.get("kernel_type", "LINEAR")
    product = exact_sum(list(zip(x, v, strict=True)))
    if kind == "LINEAR":
        return product
    gamma, coef0, degree = floats(attributes["kernel_params"])
    if kind == "RBF":
        parts = [(a - b, a - b) for a, b in zip(x, v, strict=True)]
        return exponential(-gamma * exact_sum(parts))
    inner = exact_sum([(gamma, product), (coef0, 1.0)])
    return math.tanh(inner) if kind == "SIGMOID" else power(inner, degree)


def exponential(x: float) -> float:
    """The exponential, infinite where it overflows."""
    try:
        return math.exp(x)
    except OverflowError:
        return math.inf


def power(x: float, y: float) -> float:
    """A power of reals: NaN where there is none, infinite where it overflows."""
    try:
        return math.pow(x, y)
    except OverflowError:
        return -math.inf if x < 0 and y % 2 == 1 else math.inf
    except ValueError:
        return math.inf if x == 0 else math.nan


def coupled(pairs: Mapping[tuple[int, int], float], count: int) -> list[float]:
    """Probabilities of classes from those of pairs, by the iteration of libsvm."""
    r = {}
    for (i, j), probability in pairs.items():
        r[i, j] = min(max(probability, 1e-7), 1 - 1e-7)
        r[j, i] = 1 - r[i, j]
    q = [
        [
            -r[j, i] * r[i, j] if i != j else sum(r[k, i] ** 2 for k in range(count) if k != i)
            for j in range(count)
        ]
        for i in range(count)
    ]
    p = [1 / count] * count
    for _ in range(max(100, count)):
        qp = [sum(a * b for a, b in zip(line, p, strict=True)) for line in q]
        pqp = sum(a * b for a, b in zip(p, qp, strict=True))
        if max(abs(one - pqp) for one in qp) < 0.005 / count:
            break
        for t in range(count):
            step = (pqp - qp[t]) / q[t][t]
            p[t] += step
            pqp = (pqp + step * (step * q[t][t] + 2 * qp[t])) / (1 + step) ** 2
            for j in range(count):
                qp[j] = (qp[j] + step * q[t][j]) / (1 + step)
                p[j] /= 1 + step
    return p
