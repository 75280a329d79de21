"""Slow reference of FusedGemm: an exact sum, and the image of its nearest double."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from opmill_checks.activations import activation
from opmill_checks.rounding import attribute_value, rounded
from opmill_checks.sums import plus, times, total_of
from opmill_checks.value import Value


def oracle(
    inputs: Mapping[str, Value | None],
    attributes: Mapping[str, Any],
    *,
    defaults: Mapping[str, Any],
) -> dict[str, Value]:
    given = {name: attribute_value(value) for name, value in {**defaults, **attributes}.items()}
    a, b, c = inputs["A"], inputs["B"], inputs.get("C")
    assert a is not None
    assert b is not None
    numbers = [given.get(f"activation_{word}", 0.0) for word in ("alpha", "beta", "gamma")]
    image = activation(given["activation"], numbers)
    rows = transposed(a) if given["transA"] else lines(a)
    columns = lines(b) if given["transB"] else transposed(b)
    items = []
    for i, row in enumerate(rows):
        for j, column in enumerate(columns):
            total = times(given["alpha"], total_of(zip(row, column, strict=True)))
            if c is not None and given["beta"] != 0:
                total = plus(total, scaled(given["beta"], c.items[place(c.shape, i, j)]))
            items.append(rounded(image(nearest(total)), a.type))
    return {"Y": Value(a.type, (len(rows), len(columns)), tuple(items))}


def lines(matrix: Value) -> list[tuple[Any, ...]]:
    """The rows of a matrix."""
    count, size = matrix.shape
    return [matrix.items[i * size : (i + 1) * size] for i in range(count)]


def transposed(matrix: Value) -> list[tuple[Any, ...]]:
    """The columns of a matrix."""
    count, size = matrix.shape
    return [tuple(matrix.items[i * size + j] for i in range(count)) for j in range(size)]


def place(shape: tuple[int, ...], i: int, j: int) -> int:
    """The position in C of what is added to element (i, j)."""
    count, size = (1, 1, *shape)[-2:]
    return (i if count > 1 else 0) * size + (j if size > 1 else 0)


def scaled(beta: float, third: float) -> Any:
    """A product, exact where both factors are finite."""
    is_finite = math.isfinite(beta) and math.isfinite(third)
    return Fraction(beta) * Fraction(third) if is_finite else beta * third


def nearest(total: Any) -> float:
    """The double that is nearest to a sum."""
    return rounded(total, "double") if total else 0.0
