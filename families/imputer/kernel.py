"""The NumPy kernel of Imputer."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray


def compute(
    X: NDArray[Any],
    Y: NDArray[Any],
    *,
    imputed_value_floats: NDArray[Any] | None,
    imputed_value_int64s: NDArray[Any] | None,
    replaced_value_float: float,
    replaced_value_int64: int,
) -> None:
    """Copy ``X``, with new values where an element equals the replaced one; NaN equals NaN."""
    if imputed_value_floats is not None:
        values = imputed_value_floats
        replaced = X.dtype.type(replaced_value_float) == X
        if math.isnan(replaced_value_float):
            replaced = np.isnan(X)
    else:
        assert imputed_value_int64s is not None
        values = imputed_value_int64s
        replaced = np.int64(replaced_value_int64) == X
    np.copyto(Y, X)
    np.copyto(Y, values.astype(X.dtype), where=replaced)
