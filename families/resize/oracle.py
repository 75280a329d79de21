"""Slow reference of Resize: each element of the output from the elements around its position.

Coordinates are doubles, as the spec says, and sums of products of exact fractions.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from opmill_checks.indices import ravel
from opmill_checks.rounding import FORMATS, attribute_value, rounded
from opmill_checks.value import TYPES, Value

Taps = list[tuple[int, float]] | None
"""The elements that a position is made of, with their weights; none where it is outside."""


def oracle(
    inputs: Mapping[str, Value | None],
    attributes: Mapping[str, Any],
    *,
    enlarges: bool,
    defaults: Mapping[str, Any],
) -> dict[str, Value]:
    x = inputs["X"]
    if x is None:
        raise ValueError("X is required")
    given = {**defaults, **attributes}
    mode = {"bilinear": "linear"}.get(given.get("mode", "nearest"), given.get("mode", "nearest"))
    if "nearest_mode" in given:
        axes = of_version_11(x, inputs, given, mode)
    else:
        if "height_scale" in given:
            scales = [1.0, 1.0, given["height_scale"], given["width_scale"]]
        elif "scales" in given:
            scales = list(given["scales"])
        else:
            found = inputs["scales"]
            assert found is not None
            scales = list(found.items)
        scales = [attribute_value(scale) for scale in scales]
        axes = [of_scale(n, s, mode, enlarges) for n, s in zip(x.shape, scales, strict=True)]
    shape = tuple(map(len, axes))
    if mode != "nearest" and not any(resizes(a, n) for a, n in zip(axes, x.shape, strict=True)):
        return {"Y": x}
    if mode == "nearest":
        return {"Y": picked(x, shape, axes, given)}
    extra = outside_value(x.type, given)
    items = [summed(x, chosen, extra) for chosen in itertools.product(*axes)]
    return {"Y": Value(x.type, shape, tuple(items))}


def resizes(taps: Sequence[Taps], n: int) -> bool:
    return list(taps) != [[(i, 1.0)] for i in range(n)]


def picked(
    x: Value, shape: tuple[int, ...], axes: Sequence[Sequence[Taps]], given: Mapping[str, Any]
) -> Value:
    """Single elements, bit for bit."""
    positions: list[int | None] = []
    for chosen in itertools.product(*axes):
        if any(taps is None for taps in chosen):
            positions.append(None)
        else:
            positions.append(ravel([taps[0][0] for taps in chosen if taps is not None], x.shape))
    if None not in positions:
        return x.take(shape, [p for p in positions if p is not None])
    extra = outside_value(x.type, given)
    items = [extra if p is None else x.items[p] for p in positions]
    return Value(x.type, shape, tuple(items))


def of_scale(n: int, scale: float, mode: str, enlarges: bool) -> list[Taps]:
    """An axis of the operators before Resize-11: positions divided by the scale."""
    size = math.floor(Fraction(n) * Fraction(scale)) if n else 0
    if mode == "nearest":
        whole = math.floor if enlarges or scale >= 1 else math.ceil
        return [[(min(whole(i / scale), n - 1), 1.0)] for i in range(size)]
    return [weights(i / scale, n, 1.0, "linear", 0.0, False) for i in range(size)]


def of_version_11(
    x: Value, inputs: Mapping[str, Value | None], given: Mapping[str, Any], mode: str
) -> list[list[Taps]]:
    rank = len(x.shape)
    named = [axis % rank for axis in given.get("axes", range(rank))]
    axes: list[list[Taps]] = [[[(i, 1.0)] for i in range(n)] for n in x.shape]
    scales, sizes = inputs.get("scales"), inputs.get("sizes")
    transformation = given["coordinate_transformation_mode"]
    policy = given.get("keep_aspect_ratio_policy", "stretch")
    common = None
    if sizes is not None and sizes.items and policy != "stretch":
        ratios = [size / x.shape[axis] for size, axis in zip(sizes.items, named, strict=True)]
        common = (min if policy == "not_larger" else max)(ratios)
    for k, axis in enumerate(named):
        n = x.shape[axis]
        begin, end = 0.0, 1.0
        if transformation == "tf_crop_and_resize":
            roi = inputs["roi"]
            assert roi is not None
            begin, end = float(roi.items[k]), float(roi.items[k + len(named)])
        ratio = None
        if scales is not None and scales.items:
            scale = float(scales.items[k])
            length = float(n) * (end - begin) * scale
            out = math.floor(length)
        elif common is not None:
            scale, length = common, common * n
            out = math.floor(length + 0.5)
        else:
            assert sizes is not None
            out = sizes.items[k]
            length, scale = float(out), out / n if n else 1.0
            ratio = out
        taps: list[Taps] = []
        for i in range(out):
            where = coordinate(transformation, i, n, out, scale, length, begin, end, ratio)
            if transformation == "tf_crop_and_resize" and not 0 <= where <= n - 1:
                taps.append(None)
            elif mode == "nearest":
                taps.append([(nearest(where, given["nearest_mode"], n), 1.0)])
            else:
                stretch = min(scale, 1.0) if given.get("antialias") else 1.0
                a = attribute_value(given["cubic_coeff_a"])
                taps.append(weights(where, n, stretch, mode, a, bool(given["exclude_outside"])))
        axes[axis] = taps
    return axes


def coordinate(
    transformation: str,
    i: int,
    n: int,
    out: int,
    scale: float,
    length: float,
    begin: float,
    end: float,
    ratio: int | None,
) -> float:
    """The input coordinate of output position i; from sizes, a fraction that is rounded once."""
    if transformation == "align_corners":
        if out <= 1:
            return 0.0
        return i * (n - 1) / (out - 1)
    if transformation == "tf_crop_and_resize":
        if out <= 1:
            return 0.5 * (begin + end) * (n - 1)
        return begin * (n - 1) + i * (end - begin) * (n - 1) / (out - 1)
    if transformation == "asymmetric":
        return i * n / out if ratio is not None else i / scale
    if transformation == "pytorch_half_pixel" and out <= 1:
        return 0.0
    middle = (2 * i + 1) * n / (2 * out) if ratio is not None else (i + 0.5) / scale
    if transformation == "tf_half_pixel_for_nn":
        return middle
    if transformation == "half_pixel_symmetric" and ratio is None:
        middle += n / 2 * (1 - out / length)
    return middle - 0.5


def divided(a: float, b: float) -> float:
    if b == 0:
        return math.nan if a == 0 or math.isnan(a) else math.copysign(math.inf, a)
    return a / b


def nearest(where: float, mode: str, n: int) -> int:
    if mode == "floor":
        position = math.floor(where)
    elif mode == "ceil":
        position = math.ceil(where)
    elif mode == "round_prefer_floor":
        position = math.ceil(where - 0.5)
    else:
        position = math.floor(where + 0.5)
    return min(max(position, 0), n - 1)


def weights(where: float, n: int, stretch: float, mode: str, a: float, exclude: bool) -> Taps:
    """Each element under the filter once, with its weight; what is outside counts to the edge."""
    found: dict[int, float] = {}
    if where == math.floor(where) and stretch == 1:
        return [(min(max(int(where), 0), n - 1), 1.0)]
    total = 0.0
    reach = (1 if mode == "linear" else 2) / stretch
    for i in range(math.floor(where - reach), math.ceil(where + reach) + 1):
        d = abs(i - where) * stretch
        if mode == "linear":
            weight = max(0.0, 1 - d)
        elif d <= 1:
            weight = (a + 2) * d**3 - (a + 3) * d**2 + 1
        else:
            weight = a * d**3 - 5 * a * d**2 + 8 * a * d - 4 * a if d < 2 else 0.0
        if exclude and not 0 <= i < n:
            continue
        at = min(max(i, 0), n - 1)
        found[at] = found.get(at, 0.0) + weight
        total += weight
    scaled = exclude or stretch < 1
    return [(i, divided(w, total) if scaled else w) for i, w in found.items()]


def summed(x: Value, chosen: Sequence[Taps], extra: Any) -> Any:
    if any(taps is None for taps in chosen):
        return extra
    parts: list[tuple[Any, Any]] = []
    for picks in itertools.product(*(taps for taps in chosen if taps is not None)):
        weight = math.prod(Fraction(w) if math.isfinite(w) else w for _, w in picks)
        if weight != 0:
            parts.append((weight, x.items[ravel([i for i, _ in picks], x.shape)]))
    if x.type.startswith("complex"):
        real = [(w, v.real) for w, v in parts]
        imaginary = [(w, v.imag) for w, v in parts]
        width = "float" if x.type == "complex64" else "double"
        return complex(as_element(total(real), width), as_element(total(imaginary), width))
    return as_element(total(parts), x.type)


def total(parts: Sequence[tuple[Any, Any]]) -> Any:
    """The sum of products: exact where all is finite."""
    if all(math.isfinite(w) and math.isfinite(v) for w, v in parts):
        return sum((Fraction(w) * Fraction(v) for w, v in parts), Fraction(0))
    return sum(float(w) * float(v) for w, v in parts)


def as_element(value: Any, type: str) -> Any:
    if type in FORMATS:
        return rounded(value, type)
    if isinstance(value, float) and not math.isfinite(value):
        if math.isnan(value):
            return 0
        value = Fraction(2) ** 70 * (1 if value > 0 else -1)
    bits, signed = TYPES[type].width, not type.startswith("u")
    low, high = (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) if signed else (0, 2**bits - 1)
    nudge = Fraction(1, 2**20)
    return min(max(int(value - nudge if value < 0 else value + nudge), low), high)


def outside_value(type: str, given: Mapping[str, Any]) -> Any:
    value = attribute_value(given.get("extrapolation_value", 0.0))
    if type == "bool":
        return value != 0
    if type.startswith("complex"):
        return complex(value, 0.0)
    return as_element(value, type) if type != "string" else ""
