"""Slow reference of the family fused_matmul: each element is an exact product, rounded once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from opmill_checks.indices import indices, ravel
from opmill_checks.rounding import attribute_value, rounded
from opmill_checks.sums import times, total_of
from opmill_checks.value import Value


def oracle(
    inputs: Mapping[str, Value | None],
    attributes: Mapping[str, Any],
    *,
    defaults: Mapping[str, Any],
) -> dict[str, Value]:
    given = {**defaults, **attributes}
    a, b = inputs["A"], inputs["B"]
    assert a is not None
    assert b is not None
    alpha = attribute_value(given["alpha"])
    one = transposed(a, given.get("transBatchA", 0), given["transA"])
    two = transposed(b, given.get("transBatchB", 0), given["transB"])
    left = one.shape if len(one.shape) > 1 else (1, *one.shape)
    right = two.shape if len(two.shape) > 1 else (*two.shape, 1)
    rank = max(len(left), len(right))
    left, right = (1,) * (rank - len(left)) + left, (1,) * (rank - len(right)) + right
    batch = [q if p == 1 else p for p, q in zip(left[:-2], right[:-2], strict=True)]

    def at(value: Value, shape: tuple[int, ...], index: tuple[int, ...], i: int, j: int) -> Any:
        position = [0 if dim == 1 else k for k, dim in zip(index, shape, strict=False)]
        return value.items[ravel([*position, i, j], shape)]

    items = []
    for *index, i, j in indices([*batch, left[-2], right[-1]]):
        total = total_of(
            (at(one, left, tuple(index), i, k), at(two, right, tuple(index), k, j))
            for k in range(left[-1])
        )
        result = times(alpha, total)
        items.append(rounded(result, a.type) if result else 0.0)
    shape = (*batch, *left[-2:-1][: len(a.shape) - 1], *right[-1:][: len(b.shape) - 1])
    return {"Y": Value(a.type, shape, tuple(items))}


def transposed(value: Value, moves_first: int, swaps_last: int) -> Value:
    """The tensor as it is multiplied, its elements in their new order."""
    axes = list(range(len(value.shape)))
    if len(axes) < 2:
        return value
    if moves_first:
        axes = [*axes[1:-1], 0, axes[-1]]
    if swaps_last:
        axes[-2:] = [axes[-1], axes[-2]]
    shape = tuple(value.shape[axis] for axis in axes)
    items = []
    for index in indices(shape):
        position = [0] * len(axes)
        for axis, i in zip(axes, index, strict=True):
            position[axis] = i
        items.append(value.items[ravel(position, value.shape)])
    return Value(value.type, shape, tuple(items))
