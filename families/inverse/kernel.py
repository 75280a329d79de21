"""The NumPy kernel of Inverse: LAPACK's elimination, in double."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def compute(X: NDArray[Any], Y: NDArray[Any]) -> None:
    """Write the inverses; a matrix without one, or with an infinity or a NaN, becomes NaN."""
    if Y.size == 0:
        return
    size = X.shape[-1]
    matrices = np.array(X, np.float64).reshape(-1, size, size)
    finite = np.isfinite(matrices).all(axis=(1, 2))
    results = np.full_like(matrices, np.nan)
    with np.errstate(all="ignore"):  # elements that leave the range of the type are legal
        results[finite] = _inverses(matrices[finite])
        Y[...] = results.reshape(Y.shape).astype(Y.dtype)


def _inverses(matrices: NDArray[Any]) -> NDArray[Any]:
    """Invert all matrices at once, or one by one where one of them is singular."""
    try:
        return np.asarray(np.linalg.inv(matrices))
    except np.linalg.LinAlgError:
        if len(matrices) == 1:
            return np.full_like(matrices, np.nan)
        return np.concatenate([_inverses(matrix[np.newaxis]) for matrix in matrices])
