"""Slow reference of MatMul: each element of the product is an exact sum, rounded once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from opmill_checks.indices import indices, ravel
from opmill_checks.sums import dot
from opmill_checks.value import Value


def oracle(inputs: Mapping[str, Value | None], attributes: Mapping[str, Any]) -> dict[str, Value]:
    a, b = inputs["A"], inputs["B"]
    if a is None or b is None:
        raise ValueError("A and B are required")
    left = a.shape if len(a.shape) > 1 else (1, *a.shape)
    right = b.shape if len(b.shape) > 1 else (*b.shape, 1)
    rank = max(len(left), len(right))
    left, right = (1,) * (rank - len(left)) + left, (1,) * (rank - len(right)) + right
    batch = [q if p == 1 else p for p, q in zip(left[:-2], right[:-2], strict=True)]

    def at(value: Value, shape: tuple[int, ...], index: tuple[int, ...], i: int, j: int) -> Any:
        position = [0 if dim == 1 else k for k, dim in zip(index, shape, strict=False)]
        return value.items[ravel([*position, i, j], shape)]

    items = tuple(
        dot(
            ((at(a, left, index, i, k), at(b, right, index, k, j)) for k in range(left[-1])),
            a.type,
        )
        for *index, i, j in indices([*batch, left[-2], right[-1]])
    )
    shape = (*batch, *left[-2:-1][: len(a.shape) - 1], *right[-1:][: len(b.shape) - 1])
    return {"Y": Value(a.type, shape, items)}
