"""The NumPy kernel of Where: elements are copied, never computed with."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def compute(
    condition: NDArray[Any], X: NDArray[Any], Y: NDArray[Any], output: NDArray[Any]
) -> None:
    """Write the elements of ``X`` where ``condition`` holds, those of ``Y`` elsewhere."""
    np.copyto(output, Y)
    np.copyto(output, X, where=condition)
