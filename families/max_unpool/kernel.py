"""The NumPy kernel of MaxUnpool: elements are copied, never computed with."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from opmill._runtime.kernels.bounds import within


def compute(
    X: NDArray[Any],
    I: NDArray[Any],
    output: NDArray[Any],
) -> None:
    """Write each element of ``X`` to its position in ``I``, and zeros elsewhere.

    Raises:
        ContentsError: an index is out of range. Nothing has been written then.
    """
    positions = within(I, "I", 0, output.size - 1).reshape(-1)
    bits = f"u{X.dtype.itemsize}"  # elements are copied as they are
    target = output.view(bits).reshape(-1)
    target[...] = 0
    target[positions] = np.ascontiguousarray(X).view(bits).reshape(-1)  # the last one remains
