"""The NumPy kernel of CategoryMapper."""

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
    cats_int64s: NDArray[Any] | None,
    cats_strings: NDArray[Any] | None,
    default_int64: NDArray[Any],
    default_string: NDArray[Any],
) -> None:
    """Write the integer of each string or the string of each integer; without integers, the
    position of the string stands for it."""
    assert cats_strings is not None
    if not X.size:
        return
    if Y.dtype == object:
        values: NDArray[Any] = texts_of(cats_strings, "cats_strings")
        default = default_string.item()
        if cats_int64s is None:
            positions = np.where((X >= 0) & (values.size > X), X, -1)
        else:
            positions = positions_of(X, cats_int64s, "X")
    else:
        values = np.arange(cats_strings.size) if cats_int64s is None else cats_int64s
        default = default_int64.item()
        positions = positions_of(X, cats_strings, "X")
    np.copyto(Y, values[positions])
    Y[positions < 0] = default
