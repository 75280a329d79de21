"""Counts that a caller gives: integers, with bounds that are checked before memory is needed."""

from __future__ import annotations

import operator
from collections.abc import Sized
from typing import Any

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


def stated_count(outputs: Any, out: object, *given: Any) -> Any:
    """Number of outputs a call of a function has.

    Args:
        outputs: the count that the caller gives; it comes first.
        out: the caller's buffers, whose number is the count where nothing else states it.
        given: inputs and attributes, each an integer or a list with a value for each output;
            ``None`` for an absent one.
    """
    if outputs is not None:
        return outputs
    for one in given:
        if one is None:
            continue
        try:
            return as_count(one)
        except TypeError:
            return len(one) if hasattr(one, "__len__") else 1  # which the operator refuses
    return len(out) if isinstance(out, (list, tuple)) else None


def integer_text(value: int, prefix: str = "") -> str:
    """An integer as messages show it, after ``prefix``; a very large one by its size."""
    bits = value.bit_length()
    return f"{prefix}{value}" if bits <= 128 else f"an integer of {bits} bits"


def length(values: Sized) -> int:
    """The length of a list, also of one for which ``len`` overflows."""
    if isinstance(values, range):
        return max(0, -((values.start - values.stop) // values.step))
    return len(values)
