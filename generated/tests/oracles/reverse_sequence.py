"""Slow reference of ReverseSequence: each element is looked up by itself."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from opmill_checks.contents import RefusedContents
from opmill_checks.indices import indices, ravel
from opmill_checks.value import Value


def oracle(inputs: Mapping[str, Value], attributes: Mapping[str, Any]) -> dict[str, Value]:
    source, lengths = inputs["input"], inputs["sequence_lens"].items
    batch, time = attributes.get("batch_axis", 1), attributes.get("time_axis", 0)
    longest = source.shape[time]
    for position, length in enumerate(lengths):
        if not 0 <= length <= longest:
            expected = f"0 to {longest}" if longest else "0"
            raise RefusedContents(
                position, f"sequence_lens[{position}] is {length}, expected {expected}"
            )
    origins = []
    for index in indices(source.shape):
        origin, length = list(index), lengths[index[batch]]
        if index[time] < length:
            origin[time] = length - 1 - index[time]
        origins.append(ravel(origin, source.shape))
    return {"Y": source.take(source.shape, origins)}
