"""The NumPy kernel of CastMap."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from opmill._runtime.errors import ContentsError
from opmill._runtime.maps import TypedMap

_INTEGER = re.compile(r"([+-]?)0*([0-9]{1,19})\Z")
_NUMBER = re.compile(
    r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)(e[+-]?[0-9]+)?\Z|[+-]?(inf|infinity)\Z|nan\Z", re.IGNORECASE
)


def compute(X: TypedMap, *, cast_to: str, length: int) -> tuple[NDArray[Any]]:
    """One row of the values, cast: by ascending keys, or of a length, each at its key.

    Raises:
        ContentsError: a key is no position of the row, or a value cannot be cast.
    """
    types: dict[str, tuple[Any, np.dtype[Any]]] = {
        "TO_FLOAT": (0.0, np.dtype(np.float32)),
        "TO_INT64": (0, np.dtype(np.int64)),
        "TO_STRING": ("0.f", np.dtype(object)),
    }
    absent, dtype = types[cast_to]
    keys = sorted(X)
    for key in keys:
        if length >= 0 and not 0 <= key < length:
            raise ContentsError(f"X has the key {key}, expected 0 to {length - 1} (max_map - 1)")
    row = np.full((1, len(keys) if length < 0 else length), absent, dtype)
    for position, key in enumerate(keys):
        row[0, position if length < 0 else key] = _cast(key, X[key], cast_to)
    return (row,)


def _cast(key: int, value: Any, cast_to: str) -> Any:
    if isinstance(value, str):
        return value if cast_to == "TO_STRING" else _parsed(key, value, cast_to)
    if cast_to == "TO_STRING":
        return f"{value:.6f}"
    if cast_to == "TO_FLOAT":
        return value
    if not -(2.0**63) <= value < 2.0**63:
        raise ContentsError(f"X[{key}] is {value:.9g}, expected a number that fits int64")
    return int(value)


def _parsed(key: int, text: str, cast_to: str) -> Any:
    """The number that a text is, as a whole."""
    if cast_to == "TO_FLOAT":
        if _NUMBER.match(text):
            with np.errstate(over="ignore"):
                return np.float32(text)
    elif digits := _INTEGER.match(text):
        value = int("".join(digits.groups()))
        if -(2**63) <= value < 2**63:
            return value
    kind = "a number" if cast_to == "TO_FLOAT" else "an integer that fits int64"
    raise ContentsError(f"X[{key}] is {text[:40]!a}, expected {kind}")
