"""Slow reference of TopK: each row is sorted in Python, in a stable way."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from opmill_checks.indices import indices, ravel
from opmill_checks.value import Value


def oracle(inputs: Mapping[str, Value], attributes: Mapping[str, Any]) -> dict[str, Value]:
    data = inputs["X"]
    count = inputs["K"].items[0] if "K" in inputs else attributes["k"]
    axis = attributes.get("axis", -1) % len(data.shape)
    largest = attributes.get("largest", 1)
    shape = (*data.shape[:axis], count, *data.shape[axis + 1 :])
    rows: dict[tuple[int, ...], tuple[list[int], list[int]]] = {}
    positions, found = [], []
    for index in indices(shape):
        element = (*index[:axis], *index[axis + 1 :])
        if element not in rows:
            row = [
                ravel((*index[:axis], i, *index[axis + 1 :]), data.shape)
                for i in range(data.shape[axis])
            ]
            rows[element] = row, ranked([data.items[position] for position in row], largest)
        row, order = rows[element]
        found.append(order[index[axis]])
        positions.append(row[found[-1]])
    return {"Values": data.take(shape, positions), "Indices": Value("int64", shape, tuple(found))}


def ranked(row: list[Any], largest: int) -> list[int]:
    """The indices of a row, the best first: sorting keeps equal elements in their order."""
    numbers = [i for i, item in enumerate(row) if item == item]
    nans = [i for i, item in enumerate(row) if item != item]
    if largest:
        return nans + sorted(numbers, key=lambda i: -row[i])
    return sorted(numbers, key=lambda i: row[i]) + nans
