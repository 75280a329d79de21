"""Means and variances in Python's floats; infinities and NaN come about as in IEEE 754."""

from __future__ import annotations

import math
from collections.abc import Sequence


def total(terms: Sequence[float]) -> float:
    """The sum, rounded once; an infinity where it overflows."""
    try:
        return math.fsum(terms)
    except (OverflowError, ValueError):  # of infinities of both signs
        return sum(terms)


def mean(terms: Sequence[float]) -> float:
    """The mean; NaN of no terms."""
    return quotient(total(terms), len(terms))


def mean_square(terms: Sequence[float], center: float = 0.0) -> float:
    """The mean of the squared differences to a number; NaN of no terms."""
    return quotient(total([(term - center) * (term - center) for term in terms]), len(terms))


def quotient(a: float, b: float) -> float:
    """The quotient, also by zero."""
    if b != 0:
        return a / b
    return math.nan if a == 0 or a != a else math.copysign(math.inf, a) * math.copysign(1.0, b)


def root(number: float) -> float:
    """The square root; NaN of a negative number."""
    return math.nan if number < 0 else math.sqrt(number) if number == number else number
