"""Slow reference of TensorScatter: one element of the update after the other."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from opmill_checks.contents import RefusedContents
from opmill_checks.indices import indices, ravel
from opmill_checks.scattering import scattered
from opmill_checks.value import Value


def oracle(inputs: Mapping[str, Value], attributes: Mapping[str, Any]) -> dict[str, Value]:
    past, update, given = inputs["past_cache"], inputs["update"], inputs.get("write_indices")
    axis = attributes.get("axis", -2) % len(past.shape)
    longest, length = past.shape[axis], update.shape[axis]
    begins = [0] * past.shape[0] if given is None else given.items
    circular = attributes.get("mode", "linear") == "circular"
    max_begin = longest - length
    for position, begin in enumerate(begins):
        if not circular and not 0 <= begin <= max_begin:
            expected = f"0 to {max_begin}" if max_begin else "0"
            raise RefusedContents(
                position, f"write_indices[{position}] is {begin}, expected {expected}"
            )
    positions = []
    for index in indices(update.shape):
        target = list(index)
        target[axis] += begins[index[0]]
        if circular:
            target[axis] %= longest
        positions.append(ravel(target, past.shape))
    return {"present_cache": scattered(past, positions, update, "none")}
