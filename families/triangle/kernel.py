"""The NumPy kernel of Trilu: elements are copied, never computed with."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def compute(input: NDArray[Any], output: NDArray[Any], *, diagonal: int, upper: bool) -> None:
    """Write what is on one side of the diagonal to ``output``, and zeros elsewhere."""
    if output.size == 0:
        return
    zero: Any = "" if output.dtype.kind in "OSTU" else 0
    if input.dtype.kind == "V":
        # The types of ml_dtypes: NumPy copies what it does not know one element at a time.
        bits = f"u{input.itemsize}"
        input, output = input.view(bits), output.view(bits)
    rows, columns = input.shape[-2:]
    if upper:
        mask = ~np.tri(rows, columns, diagonal - 1, dtype=np.bool_)
    else:
        mask = np.tri(rows, columns, diagonal, dtype=np.bool_)
    output[...] = zero
    np.copyto(output, input, where=mask)
