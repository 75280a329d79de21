"""The NumPy kernel of ConcatFromSequence: elements are copied, never computed with."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def compute(
    input_sequence: list[NDArray[Any]],
    concat_result: NDArray[Any],
    *,
    axis: int,
    stacks: bool,
) -> None:
    """Write the tensors to ``concat_result``, side by side along the axis or one behind another."""
    if stacks:
        np.stack(input_sequence, axis, out=concat_result)
    else:
        np.concatenate(input_sequence, axis, out=concat_result)
