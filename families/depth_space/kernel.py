"""The NumPy kernel of DepthToSpace and SpaceToDepth: elements are copied, never computed with."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray


def compute(
    input: NDArray[Any], output: NDArray[Any], *, pieces: Sequence[int], order: Sequence[int]
) -> None:
    """Write ``input``, cut into ``pieces`` whose axes are put in ``order``, to ``output``."""
    if output.size == 0:
        return
    if input.dtype.kind == "V":
        # The types of ml_dtypes: NumPy copies what it does not know one element at a time.
        bits = f"u{input.itemsize}"
        input, output = input.view(bits), output.view(bits)
    cut = input.reshape(pieces).transpose(order)
    np.copyto(output.reshape(cut.shape), cut)
