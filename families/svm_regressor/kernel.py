"""The NumPy kernel of SVMRegressor."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from opmill._runtime.kernels.estimators import features_of, transformed
from opmill._runtime.kernels.support_vectors import kernel_values

_Array = NDArray[Any]


def compute(
    X: _Array,
    Y: _Array,
    *,
    coefficients: _Array,
    rho: _Array,
    support_vectors: _Array | None,
    kernel: int,
    kernel_params: _Array | None,
    n_supports: int,
    one_class: int,
    transform: int,
) -> None:
    """Write the weighted sums, or their signs where `one_class` is 1."""
    with np.errstate(all="ignore"):  # infinities and NaNs are legal
        values = features_of(X)
        if n_supports:
            assert support_vectors is not None
            vectors = support_vectors.reshape(n_supports, X.shape[-1])
            values = kernel_values(values, vectors, kernel, kernel_params)
        sums = values @ coefficients.astype(np.float64) + np.float64(rho[0])
        Y[:, 0] = np.where(sums > 0, 1, -1) if one_class else sums
    if not one_class:
        Y[...] = transformed(Y, transform)
