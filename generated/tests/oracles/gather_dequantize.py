"""Slow reference of GatherBlockQuantized: each element by itself, rounded once."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from opmill_checks.indices import indices as all_indices
from opmill_checks.indices import ravel
from opmill_checks.rounding import rounded
from opmill_checks.value import Value


def oracle(
    inputs: Mapping[str, Value | None],
    attributes: Mapping[str, Any],
    *,
    defaults: Mapping[str, Any],
) -> dict[str, Value]:
    given = {**defaults, **attributes}
    data, chosen, scales = inputs["data"], inputs["indices"], inputs["scales"]
    assert data is not None
    assert chosen is not None
    assert scales is not None
    rank, bits = len(data.shape), given["bits"]
    first, along = given["gather_axis"] % rank, given["quantize_axis"] % rank
    packs = data.type == "uint8"
    shape = list(data.shape)
    numbers = list(data.items)
    if packs:
        numbers = codes_of(data, bits, shape[-1] * 8 // bits)
        shape[-1] = shape[-1] * 8 // bits
    zeros = inputs.get("zero_points")
    points: list[Any] = [2 ** (bits - 1) if packs else 0] * len(scales.items)
    if zeros is not None:
        points = codes_of(zeros, bits, scales.shape[-1]) if packs else list(zeros.items)
    block = given["block_size"] or max(1, shape[along])
    result = (*shape[:first], *chosen.shape, *shape[first + 1 :])
    items = []
    for index in all_indices(result):
        selected = chosen.items[ravel(index[first : first + len(chosen.shape)], chosen.shape)]
        if not -shape[first] <= selected < shape[first]:
            items.append(0.0)
            continue
        position = [*index[:first], selected % shape[first], *index[first + len(chosen.shape) :]]
        own = [
            i // block if axis == along else min(i, scales.shape[axis] - 1)
            for axis, i in enumerate(position)
        ]
        at = ravel(own, scales.shape)
        code, point = float(numbers[ravel(position, shape)]), float(points[at])
        items.append(rounded(product(code - point, scales.items[at]), scales.type))
    return {"output": Value(scales.type, result, tuple(items))}


def codes_of(packed: Value, bits: int, count: int) -> list[int]:
    """The first codes of each row: its bytes as one number, the first one lowest."""
    size = packed.shape[-1]
    codes = []
    for row in range(math.prod(packed.shape[:-1])):
        number = int.from_bytes(bytes(packed.items[row * size : (row + 1) * size]), "little")
        codes += [number >> k * bits & 2**bits - 1 for k in range(count)]
    return codes


def product(difference: float, scale: float) -> float | Fraction:
    if not (math.isfinite(difference) and math.isfinite(scale) and difference and scale):
        return difference * scale
    return Fraction(difference) * Fraction(scale)
