"""The NumPy kernel of LinearClassifier."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from opmill._runtime.kernels.estimators import labels_of, largest, linear_scores, transformed

_Array = NDArray[Any]


def compute(
    X: _Array,
    Y: _Array,
    Z: _Array,
    *,
    coefficients: _Array,
    intercepts: _Array | None,
    scores: int,
    transform: int,
    labels_ints: _Array | None,
    labels_strings: _Array | None,
) -> None:
    """Write the label of the largest score, and the transformed scores."""
    found = linear_scores(X, coefficients.reshape(scores, X.shape[-1]), intercepts)
    if scores == 1:
        Z[:, 1] = found[:, 0]
        Z[:, 0] = -Z[:, 1]
        positions = (Z[:, 1] > 0).astype(np.int64)
    else:
        Z[...] = found
        positions = largest(Z)
    Y[...] = labels_of(positions, labels_ints, labels_strings)
    Z[...] = transformed(Z, transform)
