"""Slow reference of Split: each part takes the next indices along the axis."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from opmill_checks.indices import indices, ravel
from opmill_checks.value import Value


def oracle(
    inputs: Mapping[str, Value], attributes: Mapping[str, Any], *, outputs: int, floats: bool
) -> dict[str, Sequence[Value]]:
    whole = inputs["input"]
    axis = attributes.get("axis", 0) % len(whole.shape)
    size = whole.shape[axis]
    listed = inputs.get("split")
    if listed is not None:
        lengths = [int(item) for item in listed.items]
    elif "split" in attributes:
        lengths = list(attributes["split"])
    else:  # rounded up, but for the last
        length = -(-size // outputs)
        lengths = [length] * (outputs - 1) + [size - length * (outputs - 1)]
    parts = []
    first = 0
    for length in lengths:
        shape = (*whole.shape[:axis], length, *whole.shape[axis + 1 :])
        positions = [
            ravel((*index[:axis], first + index[axis], *index[axis + 1 :]), whole.shape)
            for index in indices(shape)
        ]
        parts.append(whole.take(shape, positions))
        first += length
    return {"outputs..." if floats else "outputs": parts}  # version 1 has the dots
