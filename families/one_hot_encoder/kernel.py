"""The NumPy kernel of OneHotEncoder."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from opmill._runtime.errors import ContentsError
from opmill._runtime.kernels.lookup import positions_of
from opmill._runtime.kernels.texts import element_name


def compute(
    X: NDArray[Any],
    Y: NDArray[Any],
    *,
    cats_int64s: NDArray[Any] | None,
    cats_strings: NDArray[Any] | None,
    zeros: bool,
) -> None:
    """Write a one at the category of each element.

    Raises:
        ContentsError: an element has no category, and ``zeros`` is false. Nothing has been written.
    """
    categories = cats_strings if cats_int64s is None else cats_int64s
    assert categories is not None
    if not X.size:
        return
    known = np.ones(X.shape, np.bool_)
    if X.dtype.kind == "f":
        whole = np.trunc(X)
        known = (whole >= -(2.0**63)) & (whole < 2.0**63)
        X = np.where(known, whole, 0).astype(np.int64)
    positions = np.where(known, positions_of(X, categories, "X"), -1).reshape(-1)
    if not zeros and positions.min() < 0:
        first = int(np.argmax(positions < 0))
        raise ContentsError(f"{element_name('X', first, X.shape)} has no category, expected one")
    rows = Y.reshape(-1, Y.shape[-1])
    rows[...] = 0
    found = np.flatnonzero(positions >= 0)
    rows[found, positions[found]] = 1
