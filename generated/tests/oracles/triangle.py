"""Slow reference of Trilu: each element is kept or not by its row and column."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from opmill_checks.indices import indices
from opmill_checks.value import Value, bits_of, dtype_of


def zero_of(type: str) -> Value:
    """An element of zero bits; of strings, the empty one."""
    if type == "string":
        return Value("string", (1,), ("",))
    dtype = dtype_of(type)
    return Value.from_array(np.zeros(dtype.itemsize, np.uint8).view(dtype))


def oracle(inputs: Mapping[str, Value], attributes: Mapping[str, Any]) -> dict[str, Value]:
    source, result = ("input", "output") if "input" in inputs else ("X", "Y")
    data = inputs[source]
    given = inputs.get("k")
    diagonal = 0 if given is None else int(given.items[0])
    upper = attributes.get("upper", 1) != 0
    zero = zero_of(data.type)
    last = len(data.items)  # the zero is one element more
    positions = []
    for position, index in enumerate(indices(data.shape)):
        distance = index[-1] - index[-2]
        inside = distance >= diagonal if upper else distance <= diagonal
        positions.append(position if inside else last)
    bits = None
    if data.bits is not None:
        bits = (*data.bits, *bits_of(zero.to_array()))
    extended = Value(data.type, (last + 1,), (*data.items, *zero.items), bits)
    return {result: extended.take(data.shape, positions)}
