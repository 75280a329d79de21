"""Slow reference of Concat: each element is looked up in the input that it comes from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from opmill_checks.indices import indices, ravel
from opmill_checks.value import Value, bits_of


def oracle(
    inputs: Mapping[str, Sequence[Value]], attributes: Mapping[str, Any]
) -> dict[str, Value]:
    parts = inputs["inputs"]
    first = parts[0]
    axis = attributes.get("axis", 1) % len(first.shape)
    length = sum(part.shape[axis] for part in parts)
    shape = (*first.shape[:axis], length, *first.shape[axis + 1 :])
    found = []
    for index in indices(shape):
        element, owner = index[axis], 0
        while element >= parts[owner].shape[axis]:
            element -= parts[owner].shape[axis]
            owner += 1
        origin = (*index[:axis], element, *index[axis + 1 :])
        found.append((parts[owner], ravel(origin, parts[owner].shape)))
    items = tuple(part.items[position] for part, position in found)
    if all(part.bits is None for part in parts):
        return {"concat_result": Value(first.type, shape, items)}
    patterns = {id(part): bits_of(part.to_array()) for part in parts}
    bits = tuple(patterns[id(part)][position] for part, position in found)
    return {"concat_result": Value(first.type, shape, items, bits)}
