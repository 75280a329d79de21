"""What ConcatFromSequence computes, slowly: each element is looked up in the tensor it is from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from opmill_checks.indices import indices, ravel
from opmill_checks.value import Value, bits_of


def oracle(inputs: Mapping[str, Any], attributes: Mapping[str, Any]) -> dict[str, Value]:
    parts = inputs["input_sequence"].items
    stacks = attributes.get("new_axis", 0) == 1
    axis = attributes["axis"] % (len(parts[0].shape) + stacks)
    if stacks:  # the same as one more axis of size 1, along which they are laid
        shapes = [(*part.shape[:axis], 1, *part.shape[axis:]) for part in parts]
    else:
        shapes = [part.shape for part in parts]
    shape = list(shapes[0])
    shape[axis] = sum(one[axis] for one in shapes)
    items, bits = [], []
    for index in indices(tuple(shape)):
        owner, position = 0, index[axis]
        while position >= shapes[owner][axis]:
            position -= shapes[owner][axis]
            owner += 1
        origin = ravel((*index[:axis], position, *index[axis + 1 :]), shapes[owner])
        items.append(parts[owner].items[origin])
        if parts[owner].type != "string":
            bits.append(bits_of(parts[owner].to_array())[origin])
    patterns = tuple(bits) if any(part.bits is not None for part in parts) else None
    return {"concat_result": Value(parts[0].type, tuple(shape), tuple(items), patterns)}
