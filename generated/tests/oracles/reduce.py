"""What a sum along axes is, slowly: finite sums are exact and rounded once; integers wrap around."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from opmill_checks.indices import indices, ravel
from opmill_checks.rounding import rounded
from opmill_checks.value import TYPES, Value


def oracle(inputs: Mapping[str, Value | None], attributes: Mapping[str, Any]) -> dict[str, Value]:
    data = inputs["data"]
    assert data is not None
    rank = len(data.shape)
    given = inputs.get("axes")
    axes: Sequence[int] = given.items if given is not None else attributes.get("axes") or ()
    gone = {axis % rank for axis in axes}
    if not axes and not attributes.get("noop_with_empty_axes", 0):
        gone = set(range(rank))
    kept = tuple(1 if axis in gone else dim for axis, dim in enumerate(data.shape))
    terms: list[list[Any]] = [[] for _ in range(math.prod(kept))]
    for index, item in zip(indices(data.shape), data.items, strict=True):
        place = [0 if axis in gone else at for axis, at in enumerate(index)]
        terms[ravel(place, kept)].append(item)
    shape = kept
    if not attributes.get("keepdims", 1):
        shape = tuple(dim for axis, dim in enumerate(kept) if axis not in gone)
    return {"reduced": Value(data.type, shape, tuple(added(data.type, some) for some in terms))}


def added(type: str, terms: Sequence[Any]) -> Any:
    """The sum as an element of the type."""
    if TYPES[type].kind == "integer":
        width = TYPES[type].width
        total = sum(terms) % 2**width
        return total - 2**width if type.startswith("int") and total >= 2 ** (width - 1) else total
    if not all(map(math.isfinite, terms)):
        return sum(term for term in terms if not math.isfinite(term))
    return rounded(sum(map(Fraction, terms), Fraction(0)), type)
