"""Shared parts of linear models, support vector machines and tree ensembles.

Scores are computed in double and rounded to the type of the output before a label is chosen; they
are transformed in double, and rounded once more.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from opmill._runtime.types import Array

NONE, SOFTMAX, LOGISTIC, SOFTMAX_ZERO, PROBIT = range(5)
"""The transforms, numbered as TreeEnsemble-5 does."""


def features_of(X: Array) -> Array:
    """The rows of features as doubles; features alone are one row."""
    return np.atleast_2d(X).astype(np.float64)


def linear_scores(X: Array, coefficients: Array, intercepts: Array | None) -> Array:
    """A sum of products for each row and each row of coefficients, in double."""
    with np.errstate(all="ignore"):  # infinities and NaNs are legal
        sums = features_of(X) @ coefficients.astype(np.float64).T
        return sums if intercepts is None else np.asarray(sums + intercepts.astype(np.float64))


def largest(scores: Array) -> Array:
    """The position of the largest score of each row, the first of several; NaN is never larger."""
    position = np.zeros(len(scores), np.int64)
    top = scores[:, 0]
    for i in range(1, scores.shape[1]):
        larger = scores[:, i] > top
        position[larger] = i
        top = np.where(larger, scores[:, i], top)
    return position


def labels_of(positions: Array, integers: Array | None, texts: Array | None) -> Array:
    """The labels at these positions of the list that is present."""
    labels = texts if integers is None else integers
    assert labels is not None
    return np.asarray(labels[positions])


def transformed(scores: Array, transform: int) -> Array:
    """The scores of each row after a transform; they are those given where there is none."""
    if transform == NONE:
        return scores
    x = scores.astype(np.float64)
    with np.errstate(all="ignore"):
        if transform == LOGISTIC:
            return _logistic(x)
        if transform == PROBIT:
            return _probit(x)
        return _softmax(x, transform == SOFTMAX_ZERO)


def _logistic(x: Array) -> Array:
    e = np.exp(-np.abs(x))
    return np.asarray(np.where(x < 0, e, 1.0) / (1 + e))


def _probit(p: Array) -> Array:
    """The normal quantile by Winitzki's approximation of the inverse error function."""
    a = 0.147
    x = 2 * p - 1
    z = np.where(np.abs(x) < 0.5, np.log1p(-(x * x)), np.log(4 * p * (1 - p)))
    v = 2 / (np.pi * a) + z / 2
    root = np.sqrt(v * v - z / a)
    square = np.where(v > 0, -z / a / (v + root), root - v)
    return np.asarray(1.41421356 * np.copysign(np.sqrt(square), x))


def _softmax(x: Array, zeros: bool) -> Array:
    """Exponentials divided by their sum; with `zeros`, those of zeros are 0."""
    if x.size == 0:
        return x
    top: Any = x.max(axis=1, keepdims=True)
    parts = np.exp(x - top)
    if zeros:
        parts = np.where(np.abs(x) > 1e-7, parts, x * np.exp(-top))
    sums = parts.sum(axis=1, keepdims=True)
    return np.asarray(np.where(sums == 0, 0.5, parts / sums))
