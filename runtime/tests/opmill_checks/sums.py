"""Sums of products, exactly: what the oracles of products and convolutions add up.

Finite floating sums are exact and rounded once, by the caller or by `dot`; terms that are infinite
or NaN, and infinity times zero, go by the rules of IEEE 754. Integers are added as they are and
wrap around at the end.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from opmill_checks.rounding import FORMATS, element, rounded


def dot(pairs: Iterable[tuple[Any, Any]], type: str) -> Any:
    """The sum of the products of pairs, as an element of ``type``."""
    total = total_of(pairs)
    return rounded(total, type) if type in FORMATS else element(type, total)


def total_of(pairs: Iterable[tuple[Any, Any]]) -> Any:
    """The exact sum: an int, a Fraction, or a float where a term is infinite or NaN."""
    whole: Any = 0
    binary: dict[int, int] = {}  # numerators of products of floats, by the bits of denominators
    special: float | None = None
    for a, b in pairs:
        if isinstance(a, int) and isinstance(b, int):
            whole += a * b
        elif math.isfinite(a) and math.isfinite(b):
            if not (a and b):
                continue
            if isinstance(a, float) and isinstance(b, float):
                (above, below), (above_b, below_b) = a.as_integer_ratio(), b.as_integer_ratio()
                bits = below.bit_length() + below_b.bit_length() - 2  # powers of two
                binary[bits] = binary.get(bits, 0) + above * above_b
            else:
                whole += Fraction(a) * Fraction(b)
        else:
            special = (special or 0.0) + a * b
    if binary:
        finest = max(binary)
        total = sum(part << (finest - bits) for bits, part in binary.items())
        whole += Fraction(total, 1 << finest)
    return whole if special is None else special


def plus(total: Any, number: Any) -> Any:
    """An exact sum and one more number, of which either may be infinite or NaN."""
    finite = math.isfinite
    if isinstance(number, float) and not finite(number):
        return number + (total if isinstance(total, float) and not finite(total) else 0.0)
    if isinstance(total, float) and not finite(total):
        return total
    return total + (Fraction(number) if isinstance(number, float) else number)


def times(factor: float, total: Any) -> Any:
    """A finite factor times an exact sum; exact, with IEEE 754's infinities and NaN."""
    if isinstance(total, float) and not math.isfinite(total):
        return factor * total
    return Fraction(factor) * total
