"""Slow reference of CropAndResize: each element of a crop finds its position and its neighbours."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from opmill_checks.contents import RefusedContents
from opmill_checks.indices import indices, ravel
from opmill_checks.rounding import attribute_value, rounded
from opmill_checks.value import Value


def oracle(
    inputs: Mapping[str, Value], attributes: Mapping[str, Any], *, defaults: Mapping[str, Any]
) -> dict[str, Value]:
    x, rois, numbers = inputs["X"], inputs["rois"], inputs["batch_indices"].items
    given = {**defaults, **attributes}
    images = x.shape[0]
    for index, number in enumerate(numbers):
        if not 0 <= number < images:
            raise RefusedContents(index, f"expected 0{f' to {images - 1}' if images > 1 else ''}")
    real = "double" if x.type == "double" else "float"
    outside = attribute_value(given["extrapolation_value"])
    shape = (len(numbers), x.shape[1], *inputs["crop_size"].items)
    items = []
    for region, channel, i, j in indices(shape):
        y1, x1, y2, x2 = rois.items[4 * region : 4 * region + 4]
        row = position(y1, y2, i, shape[2], x.shape[2], real)
        column = position(x1, x2, j, shape[3], x.shape[3], real)
        if row is None or column is None:
            items.append(narrow(outside, x.type))
        elif given["mode"] == "nearest":
            at = (numbers[region], channel, nearest(row), nearest(column))
            items.append(x.items[ravel(at, x.shape)])
        else:
            items.append(narrow(bilinear(x, (numbers[region], channel), row, column), x.type))
    return {"Y": Value(x.type, shape, tuple(items))}


def position(
    first: float, second: float, number: int, count: int, size: int, real: str
) -> float | None:
    """The position of an element of a crop, each step rounded; None outside of the image."""
    limit = float(size - 1)
    if count > 1:
        step = narrow(narrow(narrow(second - first, real) * limit, real) / (count - 1), real)
        found = narrow(narrow(first * limit, real) + narrow(number * step, real), real)
    else:
        found = narrow(0.5 * narrow(first + second, real) * limit, real)
    return found if 0 <= found <= limit else None


def narrow(value: Any, type: str) -> float:
    return float(rounded(value, type)) if math.isfinite(value) and value else float(value)


def nearest(found: float) -> int:
    """The nearest integer, of two the larger one."""
    return math.floor(Fraction(found) + Fraction(1, 2))


def bilinear(x: Value, plane: tuple[int, int], row: float, column: float) -> Any:
    """The sum of four elements, exact where they are finite."""
    lines = []
    for i in (math.floor(row), math.ceil(row)):
        ends = [
            x.items[ravel((*plane, i, j), x.shape)] for j in (math.floor(column), math.ceil(column))
        ]
        lines.append(between(ends[0], ends[1], column - math.floor(column)))
    return between(lines[0], lines[1], row - math.floor(row))


def between(low: Any, high: Any, weight: float) -> Any:
    if all(math.isfinite(value) for value in (low, high)):
        return Fraction(low) + (Fraction(high) - Fraction(low)) * Fraction(weight)
    return float(low) + (float(high) - float(low)) * weight
