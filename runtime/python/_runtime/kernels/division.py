"""Quotients and remainders, and the divisors that NumPy has no result for.

NumPy rounds quotients of integers down.
"""

from __future__ import annotations

import numpy as np

from opmill._runtime.errors import ContentsError
from opmill._runtime.rule_support import listed
from opmill._runtime.types import Array


def check_divisors(B: Array) -> None:
    """Refuse a 0 among integers.

    Raises:
        ContentsError: there is one; the first is named.
    """
    if B.dtype.kind not in "iu" or B.all():
        return
    index = np.unravel_index(int(np.argmin(B != 0)), B.shape)
    shown = listed([int(i) for i in index]) if B.ndim else ""
    raise ContentsError(f"B{shown} is 0, expected a divisor that is not 0")


def quotient(a: Array, b: Array) -> Array:
    """a / b; of integers truncated toward zero, the least by -1 is itself."""
    if a.dtype.kind not in "iu":
        exact: Array = np.true_divide(a, b)
        return exact
    floor = np.floor_divide(a, b)
    truncated: Array = floor + ((floor < 0) & (floor * b != a))
    return truncated


def remainder(a: Array, b: Array, truncates: float) -> Array:
    """a - b q, where q is a / b, truncated or rounded down."""
    rest: Array = np.fmod(a, b) if truncates else np.mod(a, b)
    return rest
