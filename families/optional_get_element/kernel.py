"""The NumPy kernel of OptionalGetElement: elements are copied, never computed with."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from opmill._runtime.errors import ContentsError


def compute(input: NDArray[Any], output: NDArray[Any]) -> None:
    """Write ``input`` to ``output``."""
    np.copyto(output, input)


def compute_any(input: list[NDArray[Any]] | None) -> tuple[list[NDArray[Any]]]:
    """A new list of new arrays."""
    if input is None:
        raise ContentsError("input is an optional without contents, expected one with contents")
    return ([np.array(array) for array in input],)
