"""The exact sum or product of all elements up to each one, rounded once."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import accumulate, takewhile
from operator import add, mul
from typing import Any

from opmill_checks.rounding import element
from opmill_checks.value import Value


def oracle(
    inputs: Mapping[str, Value], attributes: Mapping[str, Any], *, operation: str
) -> dict[str, Value]:
    x = inputs["x"]
    axis = inputs["axis"].items[0] % len(x.shape)
    length = x.shape[axis]
    step = math.prod(x.shape[axis + 1 :])
    exclusive = 1 if attributes.get("exclusive", 0) else 0
    results: list[Any] = [None] * len(x.items)
    for first in range(len(x.items)):
        if first // step % length == 0:  # it begins a line
            positions = list(range(first, first + length * step, step))
            if attributes.get("reverse", 0):
                positions.reverse()
            found = combined([x.items[index] for index in positions], operation, x.type)
            for position, index in enumerate(positions):
                results[index] = found[position + 1 - exclusive]
    return {"y": Value(x.type, x.shape, tuple(results))}


def combined(terms: Sequence[Any], operation: str, type: str) -> list[Any]:
    """Of no term, of the first, of the first two and so on.

    Of floats, what is not finite goes by the rules of IEEE 754.
    """
    combine, start = (add, 0) if operation == "sum" else (mul, 1)
    if "int" in type:
        return [element(type, total) for total in accumulate(terms, combine, initial=start)]
    finite = list(takewhile(math.isfinite, terms))
    exact = accumulate(map(Fraction, finite), combine, initial=Fraction(start))
    found = [element(type, total) if total else 0.0 for total in exact]
    signs = terms if operation == "sum" else map(sign_or_special, terms)
    return found + list(accumulate(signs, combine, initial=start))[len(found) :]


def sign_or_special(term: float) -> float:
    """A number by its sign, which is all that matters beside an infinity or a NaN."""
    return term if term == 0 or not math.isfinite(term) else math.copysign(1, term)
