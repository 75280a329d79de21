"""The NumPy kernel of SequenceAt: a copy."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def compute(input_sequence: list[NDArray[Any]], tensor: NDArray[Any], *, index: int) -> None:
    """Write the tensor at ``index`` to ``tensor``."""
    np.copyto(tensor, input_sequence[index])
