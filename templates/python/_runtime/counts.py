"""Counts that a caller gives: integers, with bounds that are checked before memory is needed."""

from __future__ import annotations

import operator
from collections.abc import Sized

MAX_OUTPUTS = 2**16
"""The maximum number of outputs of a call, which a list of that length does not prove."""

MAX_COMPUTED_VALUES = 2**20
"""The maximum length of a list that computes its values, as ``range`` does."""


def as_count(value: object) -> int:
    """An integer of Python's or NumPy's.

    Raises:
        TypeError: the value is no integer; a bool is none.
    """
    if isinstance(value, bool):
        raise TypeError("a bool is no count")
    return operator.index(value)  # type: ignore[arg-type]


def integer_text(value: int, prefix: str = "") -> str:
    """An integer as messages show it, after ``prefix``; a very large one by its size."""
    bits = value.bit_length()
    return f"{prefix}{value}" if bits <= 128 else f"an integer of {bits} bits"


def length(values: Sized) -> int:
    """The length of a list, also of one for which ``len`` overflows."""
    if isinstance(values, range):
        return max(0, -((values.start - values.stop) // values.step))
    return len(values)
