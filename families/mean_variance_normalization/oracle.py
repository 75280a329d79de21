"""Each set of elements that share a mean, in Python's floats."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from opmill_checks.indices import indices
from opmill_checks.moments import mean, mean_square, root
from opmill_checks.rounding import rounded
from opmill_checks.value import Value


def oracle(
    inputs: Mapping[str, Value], attributes: Mapping[str, Any], *, defaults: Mapping[str, Any]
) -> dict[str, Value]:
    x = inputs["X"]
    named = {**defaults, **attributes}["axes"] or range(len(x.shape))
    gone = {axis % len(x.shape) for axis in named}
    sets: dict[tuple[int, ...], list[int]] = {}
    for position, index in enumerate(indices(x.shape)):
        group = tuple(at for axis, at in enumerate(index) if axis not in gone)
        sets.setdefault(group, []).append(position)
    items = [0.0] * len(x.items)
    for positions in sets.values():
        terms = [x.items[position] for position in positions]
        center = mean(terms)
        deviation = root(mean_square(terms, center)) + 1e-9
        for position, term in zip(positions, terms, strict=True):
            items[position] = rounded((term - center) / deviation, x.type)
    return {"Y": Value(x.type, x.shape, tuple(items))}
