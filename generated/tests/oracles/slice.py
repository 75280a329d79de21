"""Slow reference of Slice: the indices of each axis are counted from its start to its end."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from opmill_checks.indices import indices, ravel
from opmill_checks.value import Value


def listed(
    inputs: Mapping[str, Value], attributes: Mapping[str, Any], name: str
) -> list[int] | None:
    """A list that is an input or an attribute; None where the call has none."""
    given = inputs.get(name)
    if given is not None:
        return [int(item) for item in given.items]
    return list(attributes[name]) if name in attributes else None


def taken(size: int, start: int, end: int, step: int) -> Sequence[int]:
    """The indices of one axis."""
    lowest, highest = (0, size) if step > 0 else (-1, size - 1)
    first = start + size if start < 0 else start
    first = min(max(first, 0), highest)
    last = end + size if end < 0 else end
    last = min(max(last, lowest), highest)
    return range(first, last, step) if size else range(0)


def oracle(inputs: Mapping[str, Value], attributes: Mapping[str, Any]) -> dict[str, Value]:
    data = inputs["data"]
    starts = listed(inputs, attributes, "starts") or []
    ends = listed(inputs, attributes, "ends") or []
    axes = listed(inputs, attributes, "axes")
    steps = listed(inputs, attributes, "steps") or [1] * len(starts)
    rank = len(data.shape)
    selected: list[Sequence[int]] = [range(size) for size in data.shape]
    for axis, start, end, step in zip(
        range(len(starts)) if axes is None else axes, starts, ends, steps, strict=True
    ):
        selected[axis] = taken(data.shape[axis], start, end, step)
    shape = [len(each) for each in selected]
    positions = [
        ravel([selected[i][index[i]] for i in range(rank)], data.shape) for index in indices(shape)
    ]
    return {"output": data.take(shape, positions)}
