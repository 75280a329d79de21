"""The NumPy kernel of Scaler."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def compute(
    X: NDArray[Any], Y: NDArray[Any], *, offset: NDArray[Any] | None, scale: NDArray[Any] | None
) -> None:
    """Write (X - offset) * scale: of floats in float, of other types in double, rounded once."""
    type = X.dtype if X.dtype == np.float32 else np.dtype(np.float64)
    with np.errstate(all="ignore"):  # infinities and NaNs are legal
        x = X.astype(type, copy=False)
        if offset is not None:
            x = x - offset.astype(type)
        if scale is not None:
            x = x * scale.astype(type)
        np.copyto(Y, x, casting="same_kind")
