"""The NumPy kernel of StringConcat: sums of Python's texts."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from opmill._runtime.kernels.texts import texts_of


def compute(X: NDArray[Any], Y: NDArray[Any], Z: NDArray[Any]) -> None:
    """Write each text of ``X`` with that of ``Y`` behind it."""
    Z[...] = np.add(texts_of(X, "X"), texts_of(Y, "Y"))
