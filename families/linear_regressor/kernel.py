"""The NumPy kernel of LinearRegressor."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from opmill._runtime.kernels.estimators import linear_scores, transformed

_Array = NDArray[Any]


def compute(
    X: _Array, Y: _Array, *, coefficients: _Array, intercepts: _Array | None, transform: int
) -> None:
    """Write the transformed sums, rounded to float."""
    Y[...] = linear_scores(X, coefficients.reshape(Y.shape[1], X.shape[-1]), intercepts)
    Y[...] = transformed(Y, transform)
