"""Comparison of the results of a model with those of a converted one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from ml_dtypes import finfo

RTOL, ATOL = 1e-3, 1e-7
"""The tolerance of ONNX's own tests."""


def compared(wanted: Sequence[Any], found: Sequence[Any], atol: float = ATOL) -> str:
    """Return ``exact`` if all bits are equal, ``close`` if within tolerance, or ``different``."""
    if _equal(wanted, found, 0.0, 0.0):
        return "exact"
    rtol = max([RTOL, *map(_resolution, wanted)])
    return "close" if _equal(wanted, found, rtol, atol) else "different"


def same_types(wanted: Sequence[Any], found: Sequence[Any]) -> bool:
    """Return whether two lists of results have the same element types."""
    return len(wanted) == len(found) and all(
        getattr(one, "dtype", None) == getattr(other, "dtype", None)
        for one, other in pairs(wanted, found)
    )


def pairs(wanted: Sequence[Any], found: Sequence[Any]) -> list[tuple[Any, Any]]:
    """The results of two runs, side by side."""
    return list(zip(wanted, found, strict=True))


def _resolution(array: Any) -> float:
    """Two steps of a type of 16 bits at 1, relative; 0 for other types."""
    name = str(getattr(array, "dtype", ""))
    return 2 * float(finfo(name).eps) if name in ("float16", "bfloat16") else 0.0


def _equal(one: Any, other: Any, rtol: float, atol: float) -> bool:
    if isinstance(one, (list, tuple)) and isinstance(other, (list, tuple)):
        return len(one) == len(other) and all(
            _equal(a, b, rtol, atol) for a, b in pairs(one, other)
        )
    if one is None or other is None:
        return one is other
    one, other = np.asarray(one), np.asarray(other)
    if one.dtype != other.dtype or one.shape != other.shape:
        return False
    if rtol and one.dtype.kind in "fV" and one.dtype.names is None:
        with np.errstate(invalid="ignore"):  # ml_dtypes warns of NaNs
            wide = one.astype(np.float64), other.astype(np.float64)
        return bool(np.allclose(*wide, rtol, atol, equal_nan=True))
    if one.dtype == object:
        return list(one.flat) == list(other.flat)
    return bool(one.tobytes() == other.tobytes())
