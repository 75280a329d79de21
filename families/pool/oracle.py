"""Slow reference of pools: every window of every channel, element by element."""

from __future__ import annotations

import decimal
import itertools
import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from opmill_checks.indices import ravel
from opmill_checks.pooled import windows
from opmill_checks.rounding import rounded
from opmill_checks.value import Value

CONTEXT = decimal.Context(prec=60, Emax=10**9, Emin=-(10**9))


def oracle(
    inputs: Mapping[str, Value],
    attributes: Mapping[str, Any],
    *,
    operation: str,
    windows_start_in_input: bool,
) -> dict[str, Value]:
    x = inputs["X"]
    shape = x.shape[2:]
    size = math.prod(shape)
    if operation == "norm" and "kernel_shape" not in attributes:  # global
        axes = [[(list(range(dim)), dim)] for dim in shape]
    else:
        axes = [
            list(windows(axis, shape[axis], attributes, windows_start_in_input))
            for axis in range(len(shape))
        ]
    results = []
    for plane in range(x.shape[0] * x.shape[1]):
        for window in itertools.product(*axes):
            positions = itertools.product(*(inside for inside, _ in window))
            terms = [x.items[plane * size + ravel(index, shape)] for index in positions]
            if operation == "norm":
                results.append(norm(terms, attributes.get("p", 2), x.type))
            else:
                every = math.prod(count for _, count in window)
                padded = attributes.get("count_include_pad", 0)
                results.append(mean(terms, every if padded else len(terms), x.type))
    dims = (*x.shape[:2], *map(len, axes))
    return {"Y": Value(x.type, dims, tuple(results))}


def mean(terms: Sequence[float], count: int, type: str) -> float:
    """The exact mean, rounded; NaN of no terms that count."""
    if not all(map(math.isfinite, terms)):
        return sum(term for term in terms if not math.isfinite(term))
    return rounded(sum(map(Fraction, terms), Fraction(0)) / count, type) if count else math.nan


def norm(terms: Sequence[float], p: float, type: str) -> float:
    """The p-norm; powers and their sum have the range of doubles."""
    if any(map(math.isnan, terms)):
        return math.nan
    if any(map(math.isinf, terms)):
        return math.inf
    powers = [power(Fraction(abs(term)), p) for term in terms]
    summed = sum(powers, Fraction(0))
    if math.inf in powers or math.isinf(rounded(summed, "double")):
        return math.inf
    if summed == 0:
        return 0.0
    exponent = CONTEXT.divide(decimal.Decimal(1), decimal.Decimal(p))
    return rounded(Fraction(CONTEXT.power(as_decimal(summed), exponent)), type)


def power(magnitude: Fraction, p: float) -> Any:
    """The p-th power; infinite beyond the doubles, rounded near the smallest ones."""
    if magnitude == 0:
        return Fraction(0)
    exact = CONTEXT.power(as_decimal(magnitude), decimal.Decimal(p))
    if exact.adjusted() > 400:
        return math.inf
    if exact.adjusted() < -400:
        return Fraction(0)
    near = rounded(Fraction(exact), "double")
    if math.isinf(near) or near < 1e-300:
        return near if math.isinf(near) else Fraction(near)
    return Fraction(exact)


def as_decimal(number: Fraction) -> decimal.Decimal:
    return CONTEXT.divide(decimal.Decimal(number.numerator), decimal.Decimal(number.denominator))
