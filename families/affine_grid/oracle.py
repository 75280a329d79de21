"""Positions of a grid, with exact coordinates, in Python's floats."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from opmill_checks.rounding import rounded
from opmill_checks.value import Value


def coordinate(i: int, length: int, align: bool) -> float:
    """From -1 to 1, at the centres of the outer points or at their edges."""
    if align:
        return float(Fraction(2 * i, length - 1) - 1) if length > 1 else -1.0
    return float(Fraction(2 * i + 1, length) - 1)


def oracle(inputs: Mapping[str, Value], attributes: Mapping[str, Any]) -> dict[str, Value]:
    theta, sizes = inputs["theta"], inputs["size"].items
    lengths = sizes[2:]
    axes = len(lengths)
    align = attributes.get("align_corners", 0) == 1
    items = []
    for batch, *index in itertools.product(range(sizes[0]), *map(range, lengths)):
        point = [coordinate(i, n, align) for i, n in zip(index, lengths, strict=True)]
        for row in range(axes):
            first = (batch * axes + row) * (axes + 1)
            *factors, shift = theta.items[first : first + axes + 1]
            number = sum(a * b for a, b in zip(factors, reversed(point), strict=True)) + shift
            items.append(rounded(number, theta.type))
    return {"grid": Value(theta.type, (sizes[0], *lengths, axes), tuple(items))}
