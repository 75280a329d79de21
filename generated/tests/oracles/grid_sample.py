"""Slow reference of GridSample: each position visits the elements around it.

Positions are doubles, as the spec says; weights and sums are exact fractions.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from opmill_checks.indices import indices, ravel
from opmill_checks.rounding import FORMATS, rounded
from opmill_checks.value import TYPES, Value

Weights = dict[int, Fraction]
"""The weights of the elements of an axis, without those that have none."""


def oracle(
    inputs: Mapping[str, Value], attributes: Mapping[str, Any], *, defaults: Mapping[str, Any]
) -> dict[str, Value]:
    x, grid = inputs["X"], inputs["grid" if "grid" in inputs else "Grid"]
    given = {**defaults, **attributes}
    spatial, shape = x.shape[2:], (x.shape[0], x.shape[1], *grid.shape[1:-1])
    mode = given["mode"].removeprefix("bi")
    found: dict[tuple[int, ...], list[Weights]] = {}
    for index in indices(grid.shape[:-1]):
        axes = []
        for axis, size in enumerate(spatial):
            n = grid.items[ravel((*index, len(spatial) - 1 - axis), grid.shape)]
            axes.append(around(n, size, mode, given["padding_mode"], given["align_corners"]))
        found[index] = axes
    if mode == "nearest":
        return {"Y": chosen(x, shape, found)}
    items = []
    for n, channel, *index in indices(shape):
        parts = []
        for picks in itertools.product(*(axis.items() for axis in found[n, *index])):
            at = ravel((n, channel, *(i for i, _ in picks)), x.shape)
            parts.append((math.prod(weight for _, weight in picks), x.items[at]))
        items.append(element(parts, x.type))
    return {"Y": Value(x.type, shape, tuple(items))}


def around(n: float, size: int, mode: str, padding: str, align: int) -> Weights:
    """The elements that stand for a coordinate along an axis; NaN counts as -1."""
    n = -1.0 if math.isnan(n) else n
    position = (n + 1) / 2 * (size - 1) if align else ((n + 1) * size - 1) / 2
    if not math.isfinite(position):
        if padding == "zeros":
            return {}
        last = padding == "border" and position == math.inf
        return {size - 1 if last else 0: Fraction(1)}
    exact = Fraction(position)
    weights: Weights = {}
    if mode == "nearest":
        taps = {round(exact): Fraction(1)}  # of a Fraction: halves to even
    elif mode == "linear":
        low = math.floor(exact)
        taps = {low: low + 1 - exact, low + 1: exact - low}
    else:
        low = math.floor(exact)
        taps = {i: keys(abs(exact - i)) for i in range(low - 1, low + 3)}
    for i, weight in taps.items():
        at = inside(i, size, padding, align)
        if at is not None:
            weights[at] = weights.get(at, Fraction(0)) + weight
    return {i: weight for i, weight in weights.items() if weight}


def keys(d: Fraction) -> Fraction:
    """The weight of cubic convolution at a distance, with the coefficient -0.75."""
    a = Fraction(-3, 4)
    if d <= 1:
        return (a + 2) * d**3 - (a + 3) * d**2 + 1
    return a * d**3 - 5 * a * d**2 + 8 * a * d - 4 * a


def inside(i: int, size: int, padding: str, align: int) -> int | None:
    """The element at a place of the padded axis."""
    if 0 <= i < size:
        return i
    if padding == "zeros":
        return None
    if padding == "border":
        return 0 if i < 0 else size - 1
    there_and_back = [*range(size), *range(size - 1, -1, -1)]
    if align:
        there_and_back = [*range(size), *range(size - 2, 0, -1)]
    return there_and_back[i % len(there_and_back)]


def chosen(
    x: Value, shape: tuple[int, ...], found: Mapping[tuple[int, ...], list[Weights]]
) -> Value:
    """Single elements, bit for bit, and zeros."""
    sources: list[int] = []
    for n, channel, *index in indices(shape):
        axes = found[n, *index]
        if all(axes):
            sources.append(ravel((n, channel, *(next(iter(axis)) for axis in axes)), x.shape))
        else:
            sources.append(len(x.items))
    zero = {"string": "", "bool": False, "complex": 0j}.get(TYPES[x.type].kind, 0)
    bits = None if x.bits is None else (*x.bits, 0)
    return Value(x.type, (len(x.items) + 1,), (*x.items, zero), bits).take(shape, sources)


def element(parts: list[tuple[Fraction, Any]], type: str) -> Any:
    if type.startswith("complex"):
        width = "float" if type == "complex64" else "double"
        real = total([(weight, value.real) for weight, value in parts])
        imaginary = total([(weight, value.imag) for weight, value in parts])
        return complex(rounded(real, width), rounded(imaginary, width))
    if type in FORMATS:
        return rounded(total(parts), type)
    value = total(parts)
    bits, signed = TYPES[type].width, not type.startswith("u")
    low, high = (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) if signed else (0, 2**bits - 1)
    nudge = Fraction(1, 2**20)
    return min(max(int(value - nudge if value < 0 else value + nudge), low), high)


def total(parts: list[tuple[Fraction, Any]]) -> float | Fraction:
    """The sum of products: exact where all is finite."""
    if all(math.isfinite(value) for _, value in parts):
        return sum((weight * Fraction(value) for weight, value in parts), Fraction(0))
    nonfinite = (math.copysign(1, w) * value for w, value in parts if not math.isfinite(value))
    return sum(nonfinite, 0.0)
