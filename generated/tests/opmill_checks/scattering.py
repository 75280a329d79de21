"""Combinations of two elements in scatters, one pair at a time, in plain Python."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from opmill_checks.rounding import FORMATS, element, rounded
from opmill_checks.value import TYPES, Value, bits_of

PARTS = {"complex64": "float", "complex128": "double"}
"""The types of the real and the imaginary part."""


def exact_sum(a: Any, b: Any) -> Any:
    """The exact sum of finite numbers; infinities, NaN and signs of zeros as Python has them."""
    if isinstance(a, int) or not (math.isfinite(a) and math.isfinite(b)):
        return a + b
    return Fraction(a) + Fraction(b) or a + b


def exact_product(a: Any, b: Any) -> Any:
    """The exact product of finite numbers; others, and the signs of zeros, as Python has them."""
    if isinstance(a, int) or not (math.isfinite(a) and math.isfinite(b)):
        return a * b
    return Fraction(a) * Fraction(b) or a * b


def combined(type: str, reduction: str, old: Any, update: Any) -> Any:
    """The element that a reduction gives; of floats the exact one, rounded once."""
    if reduction == "none":
        return update
    if TYPES[type].kind == "complex":
        return complex_combined(PARTS[type], reduction, old, update)
    if type == "bool":
        return old or update if reduction in ("add", "max") else old and update
    if reduction == "add":
        return element(type, exact_sum(old, update))
    if reduction == "mul":
        return element(type, exact_product(old, update))
    if type in FORMATS and (math.isnan(old) or math.isnan(update)):
        return math.nan
    keeps = old > update if reduction == "max" else old < update
    return old if keeps else update


def complex_combined(part: str, reduction: str, a: complex, b: complex) -> complex:
    """Of the parts, each step of which is rounded."""

    def plus(x: float, y: float) -> float:
        return rounded(exact_sum(x, y), part)

    def times(x: float, y: float) -> float:
        return rounded(exact_product(x, y), part)

    if reduction == "add":
        return complex(plus(a.real, b.real), plus(a.imag, b.imag))
    return complex(
        plus(times(a.real, b.real), -times(a.imag, b.imag)),
        plus(times(a.real, b.imag), times(a.imag, b.real)),
    )


def scattered(data: Value, positions: Sequence[int], updates: Value, reduction: str) -> Value:
    """The data after all updates, in order; each applies to the element of its number."""
    if reduction == "none":  # elements are moved, whatever their bits are
        both = join(data, updates)
        sources = list(range(len(data.items)))
        for update, position in enumerate(positions):
            sources[position] = len(data.items) + update
        return both.take(data.shape, sources)
    items = list(data.items)
    for position, update in zip(positions, updates.items, strict=True):
        items[position] = combined(data.type, reduction, items[position], update)
    return Value(data.type, data.shape, tuple(items))


def join(first: Value, second: Value) -> Value:
    """The elements of both in one axis, with their bits where one of them has some."""
    items = first.items + second.items
    bits = None
    if first.bits is not None or second.bits is not None:
        bits = tuple(
            pattern for one in (first, second) for pattern in bits_of(one.to_array().reshape(-1))
        )
    return Value(first.type, (len(items),), items, bits)
