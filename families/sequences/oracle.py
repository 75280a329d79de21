"""The results of the operators of sequences, slowly: each element is looked up where it is from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from opmill_checks.indices import indices, ravel
from opmill_checks.value import Held, Value, bits_of


def oracle_at(inputs: Mapping[str, Any], attributes: Mapping[str, Any]) -> dict[str, Any]:
    (position,) = inputs["position"].items
    return {"tensor": inputs["input_sequence"].items[position]}


def oracle_concat(inputs: Mapping[str, Any], attributes: Mapping[str, Any]) -> dict[str, Value]:
    parts = inputs["input_sequence"].items
    stacks = attributes.get("new_axis", 0) == 1
    axis = attributes["axis"] % (len(parts[0].shape) + stacks)
    if stacks:  # equal to one more axis of size 1, along which they are concatenated
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


def oracle_construct(inputs: Mapping[str, Any], attributes: Mapping[str, Any]) -> dict[str, Held]:
    return {"output_sequence": Held(tuple(inputs["inputs"]))}


def oracle_empty(inputs: Mapping[str, Any], attributes: Mapping[str, Any]) -> dict[str, Held]:
    return {"output": Held(())}


def oracle_erase(inputs: Mapping[str, Any], attributes: Mapping[str, Any]) -> dict[str, Held]:
    given, position = inputs["input_sequence"].items, inputs.get("position")
    at = (-1 if position is None else position.items[0]) % len(given)
    return {"output_sequence": Held(tuple(one for k, one in enumerate(given) if k != at))}


def oracle_insert(inputs: Mapping[str, Any], attributes: Mapping[str, Any]) -> dict[str, Held]:
    given, position = inputs["input_sequence"].items, inputs.get("position")
    at = len(given) if position is None else position.items[0]
    if at < 0:
        at += len(given)
    before = [item for k, item in enumerate(given) if k < at]
    after = [item for k, item in enumerate(given) if k >= at]
    return {"output_sequence": Held((*before, inputs["tensor"], *after))}


def oracle_length(inputs: Mapping[str, Any], attributes: Mapping[str, Any]) -> dict[str, Value]:
    return {"length": Value("int64", (), (len(inputs["input_sequence"].items),))}


def oracle_split(inputs: Mapping[str, Any], attributes: Mapping[str, Any]) -> dict[str, Held]:
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
