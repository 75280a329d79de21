"""Support vector machines: kernel functions, and probabilities of classes from those of pairs."""

from __future__ import annotations

import numpy as np

from opmill._runtime.kernels.powers import float_power
from opmill._runtime.types import Array

LINEAR, POLY, RBF, SIGMOID = range(4)
"""The kernels, as the rules number them."""


def kernel_values(rows: Array, vectors: Array, kernel: int, params: Array | None) -> Array:
    """The kernel function of each row and each support vector, in double."""
    v = vectors.astype(np.float64)
    if kernel == LINEAR:
        return np.asarray(rows @ v.T)
    assert params is not None
    gamma, coef0, degree = params.astype(np.float64)
    if kernel == RBF:
        distances = [np.square(v - row).sum(axis=1) for row in rows]
        return np.asarray(np.exp(-gamma * np.reshape(distances, (len(rows), len(v)))))
    inner = gamma * (rows @ v.T) + coef0
    return np.asarray(np.tanh(inner) if kernel == SIGMOID else float_power(inner, degree))


def couple_probabilities(r: Array) -> Array:
    """The probabilities of classes, by the iteration of libsvm.

    ``r[i, j]`` is the probability of class i against class j; the diagonal is 0.
    """
    count = len(r)
    q = -r.T * r
    np.fill_diagonal(q, np.square(r).sum(axis=0))
    p = np.full(count, 1 / count)
    for _ in range(max(100, count)):
        qp = q @ p
        pqp = p @ qp
        if np.abs(qp - pqp).max() < 0.005 / count:
            break
        for t in range(count):
            step = (pqp - qp[t]) / q[t, t]
            p[t] += step
            pqp = (pqp + step * (step * q[t, t] + 2 * qp[t])) / (1 + step) ** 2
            qp = (qp + step * q[t]) / (1 + step)
            p /= 1 + step
    return p
