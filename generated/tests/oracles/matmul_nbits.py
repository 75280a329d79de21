"""Slow reference of MatMulNBits: each element is an exact sum, rounded once."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from opmill_checks.contents import RefusedContents
from opmill_checks.rounding import rounded
from opmill_checks.sums import plus, total_of
from opmill_checks.value import Value


def oracle(
    inputs: Mapping[str, Value | None],
    attributes: Mapping[str, Any],
    *,
    defaults: Mapping[str, Any],
) -> dict[str, Value]:
    given = {**defaults, **attributes}
    depth, columns, bits, size = (given[name] for name in ("K", "N", "bits", "block_size"))
    a, b, scales = inputs["A"], inputs["B"], inputs["scales"]
    zeros, g_idx, bias = (inputs.get(name) for name in ("zero_points", "g_idx", "bias"))
    assert a is not None
    assert b is not None
    assert scales is not None
    blocks = math.ceil(depth / size)
    groups = [k // size for k in range(depth)]
    if g_idx is not None:
        for position, group in enumerate(g_idx.items):
            if not 0 <= group < blocks:
                reason = f"g_idx[{position}] is {group}, expected 0 to {blocks - 1}"
                raise RefusedContents(position, reason)
        groups = list(g_idx.items[:depth])
    weights = []
    for n in range(columns):
        stored = codes(b.items, n, blocks * size, bits)
        points: list[Any] = [2 ** (bits - 1)] * blocks
        if zeros is not None and zeros.type == "uint8":
            points = codes(zeros.items, n, math.ceil(blocks * bits / 8) * 8 // bits, bits)
        elif zeros is not None:
            points = list(zeros.items[n * blocks : (n + 1) * blocks])
        own = scales.items[n * blocks : (n + 1) * blocks]
        weights.append([weight(stored[k], points[groups[k]], own[groups[k]]) for k in range(depth)])
    items = []
    for row in range(math.prod(a.shape[:-1])):
        line = a.items[row * depth : (row + 1) * depth]
        for n in range(columns):
            total = total_of(zip(line, weights[n], strict=True))
            if bias is not None:
                total = plus(total, bias.items[n])
            items.append(rounded(total, a.type) if total else 0.0)
    return {"Y": Value(a.type, (*a.shape[:-1], columns), tuple(items))}


def codes(data: tuple[Any, ...], row: int, count: int, bits: int) -> list[int]:
    """The codes of a row: its bytes as one number, the first one lowest."""
    size = count * bits // 8
    number = int.from_bytes(bytes(data[row * size : (row + 1) * size]), "little")
    return [number >> k * bits & 2**bits - 1 for k in range(count)]


def weight(code: int, zero: Any, scale: float) -> Any:
    """The value of a code: exactly, or an infinity or NaN."""
    if math.isfinite(zero) and math.isfinite(scale):
        return Weight((code - Fraction(zero)) * Fraction(scale))
    return (code - float(zero)) * scale


class Weight(Fraction):
    """An exact number, whose product with an infinity is that of IEEE 754."""

    def __rmul__(self, other: Any) -> Any:
        if isinstance(other, float) and not math.isfinite(other):
            return other * float(self)
        return super().__rmul__(other)
