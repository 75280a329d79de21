"""The NumPy kernels of optionals: elements are copied, never computed with."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from opmill._runtime.errors import ContentsError


def compute_create(input: NDArray[Any], output: NDArray[Any]) -> None:
    """Write ``input`` to ``output``."""
    np.copyto(output, input)


def compute_any_create(input: list[NDArray[Any]] | None) -> tuple[list[NDArray[Any]] | None]:
    """A new list of new arrays; ``None`` for an optional without contents."""
    return (None if input is None else [np.array(array) for array in input],)


def compute_get_element(input: NDArray[Any], output: NDArray[Any]) -> None:
    """Write ``input`` to ``output``."""
    np.copyto(output, input)


def compute_any_get_element(input: list[NDArray[Any]] | None) -> tuple[list[NDArray[Any]]]:
    """A new list of new arrays."""
    if input is None:
        raise ContentsError("input is an optional without contents, expected one with contents")
    return ([np.array(array) for array in input],)


def compute_has_element(input: NDArray[Any] | None, output: NDArray[Any]) -> None:
    """Write whether there is an ``input`` to ``output``."""
    output[...] = input is not None


def compute_any_has_element(input: list[NDArray[Any]] | None) -> tuple[NDArray[Any]]:
    """Return whether there are contents, a sequence."""
    return (np.array(input is not None),)
