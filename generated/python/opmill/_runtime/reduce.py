"""Reductions with NumPy: elements along some axes combined into one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

REDUCTIONS: dict[str, Callable[..., Any]] = {"sum": np.add.reduce}


def reduce(
    operation: str, data: NDArray[Any], reduces: Sequence[int], reduced: NDArray[Any]
) -> None:
    """Write ``data``, combined along the axes that ``reduces`` marks by 1, to ``reduced``.

    Integers wrap around. Floats are combined as doubles, which makes NumPy's order of no account
    for narrower types, and rounded once.
    """
    axes = tuple(axis for axis, marked in enumerate(reduces) if marked)
    if not axes:
        reduced[...] = data.reshape(reduced.shape)
        return
    exact = data.dtype.kind in "iu"
    with np.errstate(over="ignore", invalid="ignore"):  # infinities and NaNs are legal
        source = data if exact or data.dtype == np.float32 else data.astype(np.float64)
        result = REDUCTIONS[operation](source, axis=axes, dtype=data.dtype if exact else np.float64)
        reduced[...] = np.asarray(result).reshape(reduced.shape).astype(reduced.dtype)
