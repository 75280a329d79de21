"""The elements that reductions combine: those of each position that is left along some axes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from opmill_checks.indices import indices, ravel
from opmill_checks.value import Value


def along(
    data: Value, axes: Sequence[int], keepdims: int
) -> tuple[tuple[int, ...], list[list[Any]]]:
    """The shape without the axes, which may be negative, and the elements of each position.

    ``keepdims`` leaves dims of 1.
    """
    gone = {axis % len(data.shape) for axis in axes}
    remaining = tuple(1 if axis in gone else dim for axis, dim in enumerate(data.shape))
    terms: list[list[Any]] = [[] for _ in range(math.prod(remaining))]
    for index, item in zip(indices(data.shape), data.items, strict=True):
        position = [0 if axis in gone else at for axis, at in enumerate(index)]
        terms[ravel(position, remaining)].append(item)
    if keepdims:
        return remaining, terms
    return tuple(dim for axis, dim in enumerate(remaining) if axis not in gone), terms
