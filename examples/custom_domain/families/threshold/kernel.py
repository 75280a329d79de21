"""The NumPy kernel of Threshold."""

from typing import Any

import numpy as np
from numpy.typing import NDArray


def compute(image: NDArray[Any], mask: NDArray[Any], *, level: int) -> None:
    """Write 255 to ``mask`` where ``image`` reaches the level, else 0."""
    np.multiply(image >= np.uint16(level), np.uint8(255), out=mask)
