"""The NumPy kernel of GroupedMatMul."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from opmill._runtime.kernels.bounds import within
from opmill._runtime.kernels.halves import widened


def compute(
    input: NDArray[Any],
    weights: NDArray[Any],
    group_indices: NDArray[Any],
    bias: NDArray[Any] | None,
    output: NDArray[Any],
) -> None:
    """Write one product for each selected matrix, with all rows that select it.

    The 16-bit floats are summed in float32, the bias included, and rounded once.

    Raises:
        ContentsError: an index is out of range. Nothing has been written then.
    """
    groups = within(group_indices, "group_indices", 0, weights.shape[0] - 1)
    if not output.size:
        return
    rows = widened(input)
    with np.errstate(all="ignore"):  # overflow and NaN are results here
        for group in np.unique(groups):
            tokens, selections = np.nonzero(groups == group)
            product = np.matmul(rows[tokens], widened(weights[group]))
            if bias is not None:
                product += widened(bias[group])
            output[tokens, selections] = product
