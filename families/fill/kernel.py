"""The NumPy kernel of ConstantOfShape: copies of one element."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray


def compute(input: NDArray[Any], output: NDArray[Any], *, value: NDArray[Any] | None) -> None:
    """Write the value, or 0 where there is none, to every element."""
    output[...] = 0 if value is None else value.reshape(())
