"""What SplitToSequence computes, slowly: each element is looked up in the tensor that is cut."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from opmill_checks.indices import indices, ravel
from opmill_checks.value import Held, Value


def oracle(inputs: Mapping[str, Any], attributes: Mapping[str, Any]) -> dict[str, Held]:
    data, split = inputs["input"], inputs.get("split")
    axis = attributes.get("axis", 0) % len(data.shape)
    keeps = split is not None or attributes.get("keepdims", 1) == 1
    lengths, left = [], data.shape[axis]
    if split is not None and split.shape:
        lengths = list(split.items)
    else:
        while left > 0:
            lengths.append(min(left, 1 if split is None else split.items[0]))
            left -= lengths[-1]
    parts, start = [], 0
    for length in lengths:
        shape = (*data.shape[:axis], length, *data.shape[axis + 1 :])
        positions = [
            ravel((*index[:axis], start + index[axis], *index[axis + 1 :]), data.shape)
            for index in indices(shape)
        ]
        part_shape = shape if keeps else (*shape[:axis], *shape[axis + 1 :])
        part: Value = data.take(part_shape, positions)
        parts.append(part)
        start += length
    return {"output_sequence": Held(tuple(parts))}
