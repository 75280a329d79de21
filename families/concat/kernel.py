"""The NumPy kernel of Concat: elements are copied, never computed with."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def compute(inputs: list[NDArray[Any]], concat_result: NDArray[Any], *, axis: int) -> None:
    """Write the inputs, side by side along the axis, to ``concat_result``."""
    np.concatenate(inputs, axis, out=concat_result)
