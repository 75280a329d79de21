"""The NumPy kernel of Split: elements are copied, never computed with."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray


def compute(input: NDArray[Any], outputs: list[NDArray[Any]], *, axis: int) -> None:
    """Write the parts that lie one after the other along the axis to ``outputs``."""
    before = (slice(None),) * axis
    first = 0
    for part in outputs:
        last = first + part.shape[axis]
        part[...] = input[(*before, slice(first, last))]
        first = last
