"""The NumPy kernel of SVMClassifier."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from opmill._runtime.kernels.estimators import features_of, labels_of, largest, transformed
from opmill._runtime.kernels.support_vectors import couple_probabilities, kernel_values

_Array = NDArray[Any]


def compute(
    X: _Array,
    Y: _Array,
    Z: _Array,
    *,
    classes: int,
    coefficients: _Array,
    rho: _Array,
    support_vectors: _Array | None,
    kernel: int,
    kernel_params: _Array | None,
    vectors: int,
    vectors_per_class: _Array | None,
    probabilities: int,
    prob_a: _Array | None,
    prob_b: _Array | None,
    transform: int,
    labels_ints: _Array | None,
    labels_strings: _Array | None,
) -> None:
    """Write the labels, and the transformed scores or probabilities."""
    with np.errstate(all="ignore"):  # infinities and NaNs are legal
        rows = features_of(X)
        weights = coefficients.astype(np.float64)
        if vectors < 0:
            Z[...] = rows @ weights.reshape(classes, X.shape[-1]).T + np.float64(rho[0])
            positions = largest(Z)
        else:
            assert support_vectors is not None
            assert vectors_per_class is not None
            found = kernel_values(
                rows, support_vectors.reshape(vectors, X.shape[-1]), kernel, kernel_params
            )
            pairs = _pair_scores(
                found, weights.reshape(classes - 1, vectors), rho, vectors_per_class
            )
            positions = _most_votes(pairs, classes)
            if probabilities:
                assert prob_a is not None
                assert prob_b is not None
                Z[...] = _probabilities(pairs, prob_a, prob_b, classes)
            else:
                Z[...] = pairs if classes > 2 else np.concatenate([-pairs, pairs], axis=1)
    Y[...] = labels_of(positions, labels_ints, labels_strings)
    Z[...] = transformed(Z, transform)


def _pair_scores(found: _Array, weights: _Array, rho: _Array, counts: _Array) -> _Array:
    """A score for each row and each pair of classes, positive for the first of the pair."""
    ends = np.cumsum(counts)
    of_class = [slice(end - count, end) for end, count in zip(ends, counts, strict=True)]
    pairs = list(combinations(range(len(counts)), 2))
    scores = np.empty((len(found), len(pairs)))
    for k, (i, j) in enumerate(pairs):
        first = found[:, of_class[i]] @ weights[j - 1, of_class[i]]
        second = found[:, of_class[j]] @ weights[i, of_class[j]]
        scores[:, k] = first + second + np.float64(rho[k])
    return scores


def _most_votes(pairs: _Array, classes: int) -> _Array:
    votes = np.zeros((len(pairs), classes), np.int64)
    for k, (i, j) in enumerate(combinations(range(classes), 2)):
        first = pairs[:, k] > 0
        votes[first, i] += 1
        votes[~first, j] += 1
    return np.asarray(votes.argmax(axis=1))


def _probabilities(pairs: _Array, prob_a: _Array, prob_b: _Array, classes: int) -> _Array:
    chances = 1 / (1 + np.exp(pairs * prob_a.astype(np.float64) + prob_b.astype(np.float64)))
    chances = np.clip(chances, 1e-7, 1 - 1e-7)
    first, second = np.triu_indices(classes, 1)
    result = np.empty((len(pairs), classes))
    for row, one in enumerate(chances):
        r = np.zeros((classes, classes))
        r[first, second] = one
        r[second, first] = 1 - one
        result[row] = couple_probabilities(r)
    return result
