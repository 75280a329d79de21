"""The exact sum or product of all elements up to each one, rounded once."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from opmill_checks.indices import indices, ravel
from opmill_checks.rounding import element
from opmill_checks.value import Value


def oracle(
    inputs: Mapping[str, Value], attributes: Mapping[str, Any], *, operation: str
) -> dict[str, Value]:
    x = inputs["x"]
    axis = inputs["axis"].items[0] % len(x.shape)
    length = x.shape[axis]
    results = []
    for index in indices(x.shape):
        at, own = index[axis], 0 if attributes.get("exclusive", 0) else 1
        places = (
            range(length - 1, at - own, -1) if attributes.get("reverse", 0) else range(at + own)
        )
        terms = [x.items[ravel([*index[:axis], k, *index[axis + 1 :]], x.shape)] for k in places]
        results.append(combined(terms, operation, x.type))
    return {"y": Value(x.type, x.shape, tuple(results))}


def combined(terms: Sequence[Any], operation: str, type: str) -> Any:
    """Of floats, what is not finite goes by the rules of IEEE 754."""
    if "int" in type:
        return element(type, sum(terms) if operation == "sum" else math.prod(terms))
    if not all(map(math.isfinite, terms)):
        return sum(terms) if operation == "sum" else math.prod(map(sign_or_special, terms))
    exact = [Fraction(term) for term in terms]
    total = sum(exact, Fraction(0)) if operation == "sum" else math.prod(exact, start=Fraction(1))
    return element(type, total) if total else 0.0


def sign_or_special(term: float) -> float:
    """A number by its sign, which is all that matters beside an infinity or a NaN."""
    return term if term == 0 or not math.isfinite(term) else math.copysign(1, term)
