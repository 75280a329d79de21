"""What a sum along axes is, slowly: finite sums are exact and rounded once; integers wrap around.

Oracles share it, whether an attribute or an input names the axes.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from opmill_checks.indices import indices, ravel
from opmill_checks.rounding import rounded
from opmill_checks.value import TYPES, Value


def summed(data: Value, axes: Sequence[int], keepdims: int) -> Value:
    """``data`` summed along axes, which may be negative; ``keepdims`` leaves dims of 1."""
    gone = {axis % len(data.shape) for axis in axes}
    kept = tuple(1 if axis in gone else dim for axis, dim in enumerate(data.shape))
    terms: list[list[Any]] = [[] for _ in range(math.prod(kept))]
    for index, item in zip(indices(data.shape), data.items, strict=True):
        place = [0 if axis in gone else at for axis, at in enumerate(index)]
        terms[ravel(place, kept)].append(item)
    shape = kept
    if not keepdims:
        shape = tuple(dim for axis, dim in enumerate(kept) if axis not in gone)
    return Value(data.type, shape, tuple(_added(data.type, some) for some in terms))


def _added(type: str, terms: Sequence[Any]) -> Any:
    """The sum as an element of the type."""
    if TYPES[type].kind == "integer":
        width = TYPES[type].width
        total = sum(terms) % 2**width
        return total - 2**width if type.startswith("int") and total >= 2 ** (width - 1) else total
    if not all(map(math.isfinite, terms)):
        return sum(term for term in terms if not math.isfinite(term))
    return rounded(sum(map(Fraction, terms), Fraction(0)), type)
