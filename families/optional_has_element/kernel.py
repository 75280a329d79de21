"""The NumPy kernel of OptionalHasElement: whether there is anything."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def compute(input: NDArray[Any] | None, output: NDArray[Any]) -> None:
    """Write whether there is an ``input`` to ``output``."""
    output[...] = input is not None


def compute_any(input: list[NDArray[Any]] | None) -> tuple[NDArray[Any]]:
    """Return whether there are contents, a sequence."""
    return (np.array(input is not None),)
