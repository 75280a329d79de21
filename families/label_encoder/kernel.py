"""The NumPy kernel of LabelEncoder."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from opmill._runtime.kernels.lookup import positions_of
from opmill._runtime.kernels.texts import texts_of


def compute(
    X: NDArray[Any],
    Y: NDArray[Any],
    *,
    default_float: NDArray[Any],
    default_int64: NDArray[Any],
    default_string: NDArray[Any],
    default_tensor: NDArray[Any] | None,
    keys_floats: NDArray[Any] | None,
    keys_int64s: NDArray[Any] | None,
    keys_strings: NDArray[Any] | None,
    keys_tensor: NDArray[Any] | None,
    values_floats: NDArray[Any] | None,
    values_int64s: NDArray[Any] | None,
    values_strings: NDArray[Any] | None,
    values_tensor: NDArray[Any] | None,
) -> None:
    """Write the value beside each element of ``X`` among the keys, or the default."""
    keys = _first(keys_floats, keys_int64s, keys_strings, keys_tensor)
    values = _first(values_floats, values_int64s, values_strings, values_tensor)
    defaults = {"float32": default_float, "int64": default_int64, "object": default_string}
    if Y.dtype == object:
        values = texts_of(values, "values")
    if default_tensor is not None:
        given = texts_of(default_tensor, "default") if Y.dtype == object else default_tensor
        default: Any = given[0]
    elif Y.dtype.name in defaults:
        default = defaults[Y.dtype.name].item()
    else:
        default = -0.0 if Y.dtype.kind == "f" else -1
    if X.size:
        positions = positions_of(X, keys, "X")
        np.copyto(Y, values[positions])
        Y[positions < 0] = default


def _first(*lists: NDArray[Any] | None) -> NDArray[Any]:
    return next(one for one in lists if one is not None)
