"""Reference of reductions along axes that an attribute or an input names."""

from __future__ import annotations

import decimal
import math
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from opmill_checks.reductions import along
from opmill_checks.rounding import element, rounded
from opmill_checks.value import TYPES, Value

LIMITS = decimal.Context(prec=60)


def is_integer(type: str) -> bool:
    return TYPES[type].kind != "float"


def extremes(type: str) -> tuple[Any, Any]:
    """The lowest and the highest value of a type."""
    if type == "bool":
        return False, True
    if not is_integer(type):
        return -math.inf, math.inf
    width = TYPES[type].width
    if type.startswith("u"):
        return 0, 2**width - 1
    return -(2 ** (width - 1)), 2 ** (width - 1) - 1


def truncated(number: float, type: str) -> int:
    """A float as an integer: within the limits of the type, the lowest for NaN."""
    lowest, highest = extremes(type)
    if math.isnan(number):
        return int(lowest)
    if math.isinf(number):
        return int(highest if number > 0 else lowest)
    return max(lowest, min(highest, math.trunc(number)))


def added(terms: Sequence[Any]) -> Any:
    """The exact sum, or what infinities and NaN come to."""
    if not all(map(math.isfinite, terms)):
        return sum(term for term in terms if not math.isfinite(term))
    return sum(map(Fraction, terms), Fraction(0))


def total(terms: Sequence[Any], type: str) -> Any:
    return element(type, sum(terms)) if is_integer(type) else rounded(added(terms), type)


def magnitudes(terms: Sequence[Any], type: str) -> Any:
    return total([abs(term) for term in terms], type)


def squares(terms: Sequence[Any], type: str) -> Any:
    if is_integer(type):
        return element(type, sum(term * term for term in terms))
    return rounded(added([squared(term) for term in terms]), type)


def squared(term: float) -> Any:
    """The exact square; infinite where it is beyond the doubles."""
    if not math.isfinite(term):
        return term * term
    exact = Fraction(term) ** 2
    return exact if math.isfinite(rounded(exact, "double")) else math.inf


def norm(terms: Sequence[Any], type: str) -> Any:
    if is_integer(type):
        return min(math.isqrt(sum(term * term for term in terms)), extremes(type)[1])
    summed = added([squared(term) for term in terms])
    if not isinstance(summed, Fraction) or math.isinf(rounded(summed, "double")):
        return math.nan if summed != summed else math.inf
    return rounded(Fraction(precise(summed).sqrt(LIMITS)), type)


def precise(number: Fraction) -> decimal.Decimal:
    """A fraction to 60 digits."""
    return LIMITS.divide(decimal.Decimal(number.numerator), decimal.Decimal(number.denominator))


def logarithm(number: Any, type: str) -> Any:
    """The logarithm of a fraction, an infinity or NaN; of integers truncated."""
    if number != number or number < 0:
        result = math.nan
    elif isinstance(number, float):
        result = math.inf
    elif number == 0:
        result = -math.inf
    else:
        exact = Fraction(precise(number).ln(LIMITS))
        result = rounded(exact, "double" if is_integer(type) else type)
    return truncated(result, type) if is_integer(type) else result


def log_of_sum(terms: Sequence[Any], type: str) -> Any:
    return logarithm(added(terms), type)


def log_of_exponentials(terms: Sequence[Any], type: str) -> Any:
    """The largest and the logarithm of what the others are beside it; integers become doubles."""
    if is_integer(type) and len(terms) == 1:
        return terms[0]
    reals = [float(term) for term in terms]
    if any(map(math.isnan, reals)):
        return math.nan
    largest = max(reals, default=-math.inf)
    if math.isinf(largest):
        return truncated(largest, type) if is_integer(type) else largest
    beside = [Fraction(real) - Fraction(largest) for real in reals if real > -math.inf]
    near = [precise(less).exp(LIMITS) for less in beside if less > -2000]
    summed = sum((Fraction(some) for some in near), Fraction(0))
    result = Fraction(largest) + Fraction(precise(summed).ln(LIMITS))
    if is_integer(type):
        return truncated(rounded(result, "double"), type)
    return rounded(result, type)


def product(terms: Sequence[Any], type: str) -> Any:
    if is_integer(type):
        return element(type, math.prod(terms))
    if not all(map(math.isfinite, terms)):
        return math.prod(terms)
    exact = math.prod(map(Fraction, terms), start=Fraction(1))
    negative = sum(math.copysign(1, term) < 0 for term in terms) % 2 == 1
    return (-0.0 if negative else 0.0) if exact == 0 else rounded(exact, type)


def mean(terms: Sequence[Any], type: str) -> Any:
    if is_integer(type):
        return math.trunc(Fraction(sum(terms), len(terms))) if terms else 0
    summed = added(terms)
    if not terms:
        return math.nan
    return rounded(summed / len(terms), type) if isinstance(summed, Fraction) else summed


def largest(terms: Sequence[Any], type: str) -> Any:
    lowest = extremes(type)[0]
    return next((term for term in terms if term != term), None) or max(terms, default=lowest)


def smallest(terms: Sequence[Any], type: str) -> Any:
    highest = extremes(type)[1]
    return next((term for term in terms if term != term), None) or min(terms, default=highest)


OPERATIONS: Mapping[str, Callable[[Sequence[Any], str], Any]] = {
    "l1": magnitudes,
    "l2": norm,
    "log_sum": log_of_sum,
    "log_sum_exp": log_of_exponentials,
    "max": largest,
    "mean": mean,
    "min": smallest,
    "prod": product,
    "sum": total,
    "sum_square": squares,
}
"""Of the elements that are combined, and their type."""


def oracle(
    inputs: Mapping[str, Value | None], attributes: Mapping[str, Any], *, operation: str
) -> dict[str, Value]:
    x = inputs.get("X")
    if x is not None:
        return {"Y": reduced(x, range(2, len(x.shape)), 1, operation)}
    data, given = inputs["data"], inputs.get("axes")
    assert data is not None
    named = attributes.get("axes", ()) if given is None else given.items
    every = range(0 if attributes.get("noop_with_empty_axes", 0) else len(data.shape))
    return {"reduced": reduced(data, named or every, attributes.get("keepdims", 1), operation)}


def reduced(data: Value, axes: Sequence[int], keepdims: int, operation: str) -> Value:
    shape, terms = along(data, axes, keepdims)
    return Value(data.type, shape, tuple(OPERATIONS[operation](some, data.type) for some in terms))
