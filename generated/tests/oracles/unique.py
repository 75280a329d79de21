"""Reference of Unique: a dictionary of the elements or slices that have occurred so far."""

from __future__ import annotations

from collections.abc import Mapping
from math import prod
from typing import Any

from opmill_checks.value import Value

Key = tuple[Any, ...]


def is_nan(item: Any) -> bool:
    return bool(item != item)


def position(item: Any) -> Key:
    """Elements in ascending order have such keys in ascending order."""
    if is_nan(item):
        return (1,)
    if isinstance(item, complex):
        return (0, item.real, item.imag)
    return (0, item.encode("utf-8", "surrogatepass") if isinstance(item, str) else item)


def items_along(X: Value, axis: int | None) -> list[list[int]]:
    """The positions of the elements of each item: of an element, or of a slice."""
    if axis is None:
        return [[k] for k in range(len(X.items))]
    outer, inner = prod(X.shape[:axis]), prod(X.shape[axis + 1 :])
    count = X.shape[axis]
    return [
        [(o * count + i) * inner + k for o in range(outer) for k in range(inner)]
        for i in range(count)
    ]


def oracle(
    inputs: Mapping[str, Value], attributes: Mapping[str, Any], *, outputs: int | None
) -> dict[str, Value]:
    in_order = "x" in inputs  # of com.microsoft
    X = inputs["x"] if in_order else inputs["X"]
    axis = attributes.get("axis")
    axis = None if axis is None else axis % len(X.shape)
    items = items_along(X, axis)
    # An element or a slice with a NaN equals no other.
    alone = in_order or (axis is not None and len(X.shape) > 1)
    groups: dict[Key, list[int]] = {}
    for number, positions in enumerate(items):
        elements = [X.items[k] for k in positions]
        key: Key = tuple(position(one) for one in elements)
        if alone and any(map(is_nan, elements)):
            key = (*key, number)
        groups.setdefault(key, []).append(number)
    order = list(groups) if in_order or not attributes.get("sorted", 1) else sorted(groups)
    first = [groups[key][0] for key in order]
    inverse = [0] * len(items)
    for group, key in enumerate(order):
        for number in groups[key]:
            inverse[number] = group
    shape = [len(X.items)] if axis is None else list(X.shape)
    shape[axis or 0] = len(first)
    selected = first
    if axis is not None:
        outer, inner, count = prod(shape[:axis]), prod(shape[axis + 1 :]), X.shape[axis]
        selected = [
            (o * count + i) * inner + k for o in range(outer) for i in first for k in range(inner)
        ]
    lists = {
        "indices": first,
        "inverse_indices": inverse,
        "counts": [len(groups[key]) for key in order],
    }
    if in_order:
        y = X.take(tuple(shape), selected)
        idx = Value("int64", (len(inverse),), tuple(inverse))
        return {"y": y, "idx": idx, "counts": Value("int64", (len(first),), tuple(lists["counts"]))}
    found = {"Y": X.take(tuple(shape), selected)}
    for name, numbers in list(lists.items())[: (outputs or 1) - 1]:
        found[name] = Value("int64", (len(numbers),), tuple(numbers))
    return found
