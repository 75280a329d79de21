"""Products of quantized matrices, element by element, and the numbers that sums become."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cache
from typing import Any

from opmill_checks.indices import indices, ravel
from opmill_checks.rounding import rounded
from opmill_checks.value import TYPES, Value, array_of_bits, items_of

ONE: tuple[tuple[int, ...], ...] = ((), (1,))
"""The shapes of one value for all."""
Index = tuple[int, ...]


def of_row(values: Value | None, index: Index) -> Any:
    """The value of a row; ``index`` has the indices of its matrix in a stack, then its own."""
    if values is None:
        return 0
    if values.shape in ONE:
        return values.items[0]
    return values.items[index[-1] if len(values.shape) == 1 else ravel((*index, 0), values.shape)]


def of_column(values: Value | None, index: Index) -> Any:
    """The value of a column; ``index`` has the indices of its matrix in a stack, then its own."""
    if values is None:
        return 0
    if values.shape in ONE:
        return values.items[0]
    position = (*index[:-1], 0, index[-1])
    return values.items[index[-1] if len(values.shape) == 1 else ravel(position, values.shape)]


def product_shape(a: Value, b: Value) -> tuple[int, ...]:
    """The shape of the product as numpy.matmul has it."""
    stack = max(len(a.shape), len(b.shape), 2) - 2
    left = (1,) * (stack + 2 - max(2, len(a.shape))) + a.shape[:-2]
    right = (1,) * (stack + 2 - max(2, len(b.shape))) + b.shape[:-2]
    batch = [q if p == 1 else p for p, q in zip(left, right, strict=True)]
    return (*batch, *a.shape[-2:-1], *(b.shape[-1:] if len(b.shape) > 1 else ()))


def products(
    a: Value, a_zero: Value | None, b: Value, b_zero: Value | None
) -> Iterator[tuple[Iterator[tuple[Any, Any]], Index, Index]]:
    """For each element of the product its factors, less their zero points, and the indices of the
    row and of the column that it comes from."""
    shape = product_shape(a, b)
    has_rows, has_columns = len(a.shape) > 1, len(b.shape) > 1
    for index in indices(shape):
        batch = index[: len(index) - has_rows - has_columns]
        row = index[len(batch)] if has_rows else 0
        column = index[-1] if has_columns else 0
        p = (*own(batch, a.shape[:-2]), row)
        q = (*own(batch, b.shape[:-2]), column)
        yield factors(a, a_zero, p, b, b_zero, q), p, q


def factors(
    a: Value, a_zero: Value | None, p: Index, b: Value, b_zero: Value | None, q: Index
) -> Iterator[tuple[Any, Any]]:
    """The pairs that are multiplied for one element."""
    for k in range(a.shape[-1]):
        left = ravel((*p, k)[-len(a.shape) :], a.shape)
        right = ravel((*q[:-1], k, q[-1])[: len(b.shape)], b.shape)
        yield less(a.items[left], of_row(a_zero, p)), less(b.items[right], of_column(b_zero, q))


def own(batch: Sequence[int], dims: Sequence[int]) -> Index:
    """The indices of a tensor's own stack."""
    last = batch[len(batch) - len(dims) :]
    return tuple(0 if dim == 1 else i for i, dim in zip(last, dims, strict=True))


def less(number: Any, zero: Any) -> Any:
    """A difference, exactly; infinities and NaN by IEEE 754."""
    if isinstance(number, int) and isinstance(zero, int):
        return number - zero
    if math.isfinite(number) and math.isfinite(zero):
        return Fraction(number) - Fraction(zero)
    return float(number) - float(zero)


def times(a: float, b: float) -> float:
    """A product rounded to float, with the infinities, NaN and signs of IEEE 754."""
    if not (math.isfinite(a) and math.isfinite(b)):
        return a * b
    return math.copysign(rounded(Fraction(a) * Fraction(b), "float"), sign(a) * sign(b))


def over(a: float, b: float) -> float:
    """A quotient rounded to float, with the infinities, NaN and signs of IEEE 754."""
    if math.isnan(a) or math.isnan(b) or a == b == 0 or (math.isinf(a) and math.isinf(b)):
        return math.nan
    if b == 0 or math.isinf(a):
        return sign(a) * sign(b) * math.inf
    if math.isinf(b):
        return sign(a) * sign(b) * 0.0
    return math.copysign(rounded(Fraction(a) / Fraction(b), "float"), sign(a) * sign(b))


def sign(number: float) -> float:
    return math.copysign(1.0, number)


def limited(number: float, zero: int, type: str) -> int:
    """The nearest integer, ties to even, moved and limited to a type; NaN is the lowest."""
    bits, signed = TYPES[type].width, not type.startswith("u")
    low, high = (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) if signed else (0, 2**bits - 1)
    if not math.isfinite(number):
        return high if number > 0 else low
    return min(max(round(Fraction(number)) + zero, low), high)


def quantized(number: float, zero: Any, type: str) -> Any:
    """A float as an element of a quantized type, with a zero point of that type."""
    if TYPES[type].kind == "integer":
        return limited(number, zero, type)
    if zero != 0:
        finite = math.isfinite(number) and math.isfinite(zero)
        number = rounded(Fraction(number) + Fraction(zero), "float") if finite else number + zero
    return nearest(number, type)


@cache
def elements(type: str) -> list[float]:
    """The numbers of a float of 8 bits that are 0 or more, each the next after the one before."""
    items = items_of(array_of_bits(type, range(128)))
    return [item for item in items if math.isfinite(item)]


def nearest(value: float, type: str) -> float:
    """The nearest element, of two that are as near the one with the even pattern; the largest of
    its sign for what is larger."""
    if math.isnan(value):
        return math.nan
    numbers = elements(type)
    if abs(value) >= numbers[-1]:
        return sign(value) * numbers[-1]
    size = Fraction(abs(value))
    best = min(range(len(numbers)), key=lambda k: (abs(Fraction(numbers[k]) - size), k % 2))
    if numbers[best] == 0 and type.endswith("fnuz"):
        return 0.0
    return sign(value) * numbers[best]
