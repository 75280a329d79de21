"""Reference of linear models, support vector machines and tree ensembles, by exact sums.

Transforms use decimals with many digits. Nothing is shared with the kernels.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Any

from opmill_checks.rounding import rounded
from opmill_checks.value import Value

DIGITS = 60
WORDS = ("NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO", "PROBIT")


def rows_of(x: Value) -> list[list[float]]:
    """The rows of a tensor as doubles; a tensor of rank 1 is one row."""
    count, width = (1, x.shape[0]) if len(x.shape) == 1 else x.shape
    items = [item if isinstance(item, float) else as_double(item) for item in x.items]
    return [items[row * width : (row + 1) * width] for row in range(count)]


def as_double(item: int) -> float:
    return rounded(Fraction(item), "double") if item else 0.0


def floats(values: Iterable[float]) -> list[float]:
    """The values of an attribute of kind FLOATS."""
    return [rounded(float(value), "float") for value in values]


def exact_sum(terms: Iterable[tuple[float, ...]]) -> float:
    """A sum of products, rounded to double once; with infinities or NaNs, what Python computes."""
    products = list(terms)
    if all(math.isfinite(factor) for product in products for factor in product):
        total = sum((math.prod(map(Fraction, product)) for product in products), Fraction(0))
        return rounded(total, "double") if total else 0.0
    total = 0.0
    for product in products:
        total += math.prod(product)
    return total


def largest(scores: Sequence[float]) -> int:
    """The first position of the largest score; NaN is never larger than another."""
    best = 0
    for i, score in enumerate(scores):
        if score > scores[best]:
            best = i
    return best


def labels(attributes: Mapping[str, Any], positions: Sequence[int]) -> Value:
    """The labels at these positions of the list that a call gives."""
    for name in ("classlabels_ints", "classlabels_int64s"):
        if name in attributes:
            items = tuple(attributes[name][i] for i in positions)
            return Value("int64", (len(items),), items)
    items = tuple(attributes["classlabels_strings"][i] for i in positions)
    return Value("string", (len(items),), items)


def scores(rows: Sequence[Sequence[float]], width: int, type: str = "float") -> Value:
    """A tensor of rows."""
    return Value(
        type, (len(rows), width), tuple(rounded(item, type) for row in rows for item in row)
    )


def transformed(row: Sequence[float], word: str) -> list[float]:
    """The scores of a row after a transform."""
    with localcontext() as context:
        context.prec = DIGITS
        context.Emin, context.Emax = -(10**9), 10**9
        if word == "LOGISTIC":
            return [logistic(x) for x in row]
        if word == "PROBIT":
            return [probit(p) for p in row]
        if word == "NONE":
            return list(row)
        return softmax(row, word == "SOFTMAX_ZERO")


def logistic(x: float) -> float:
    if math.isnan(x):
        return x
    if math.isinf(x) or abs(x) > 2000:
        return 1.0 if x > 0 else 0.0
    return float(1 / (1 + (-Decimal(x)).exp()))


def probit(p: float) -> float:
    if not 0 <= p <= 1:
        return math.nan
    if p in (0, 1):
        return math.inf if p else -math.inf
    a, pi = Decimal("0.147"), Decimal("3.14159265358979323846264338327950288")
    x = 2 * Decimal(p) - 1
    z = ((1 - x) * (1 + x)).ln()
    v = 2 / (pi * a) + z / 2
    square = (v * v - z / a).sqrt() - v
    return float(Decimal("1.41421356") * square.sqrt().copy_sign(x))


def softmax(row: Sequence[float], zeros: bool) -> list[float]:
    if not row:
        return []
    if any(math.isnan(x) for x in row) or max(row) == math.inf or max(row) == -math.inf:
        return [math.nan] * len(row)
    top = max(Decimal(x) for x in row)
    parts = [_part(x, top, zeros) for x in row]
    total = sum(parts, Decimal(0))
    return [float(part / total) if total else 0.5 for part in parts]


def _part(x: float, top: Decimal, zeros: bool) -> Decimal:
    if zeros and abs(x) <= 1e-7:
        return Decimal(x) * (-top).exp()
    return Decimal(0) if x == -math.inf else (Decimal(x) - top).exp()
