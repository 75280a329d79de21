"""Slow reference of RoiAlign: each bin visits its samples, each sample its four pixels.

Positions are doubles, as the spec says; weights and sums are exact fractions.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import Any, NamedTuple

from opmill_checks.contents import RefusedContents
from opmill_checks.indices import indices, ravel
from opmill_checks.rounding import attribute_value, rounded
from opmill_checks.value import Value


class Samples(NamedTuple):
    """The samples of a bin along an axis.

    Args:
        weights: of the pixels beside each sample inside of the image, without repetitions.
        total: of each pixel over all samples.
        count: of the samples, inside and outside.
        outside: whether there is one outside.
    """

    weights: set[tuple[int, Fraction]]
    total: dict[int, Fraction]
    count: int
    outside: bool


def oracle(
    inputs: Mapping[str, Value], attributes: Mapping[str, Any], *, defaults: Mapping[str, Any]
) -> dict[str, Value]:
    x, rois, numbers = inputs["X"], inputs["rois"], inputs["batch_indices"].items
    given = {"coordinate_transformation_mode": "output_half_pixel", **defaults, **attributes}
    half_pixel = given["coordinate_transformation_mode"] == "half_pixel"
    scale = attribute_value(given["spatial_scale"])
    check(x.shape[0], numbers, rois, scale)
    shape = (len(numbers), x.shape[1], given["output_height"], given["output_width"])
    found: dict[tuple[int, int, int], Samples] = {}
    for region in range(shape[0]):
        x1, y1, x2, y2 = (number * scale for number in rois.items[4 * region : 4 * region + 4])
        for axis, (begin, end) in enumerate(((y1, y2), (x1, x2))):
            if half_pixel:
                begin, end = begin - 0.5, end - 0.5
            size = end - begin if half_pixel else max(end - begin, 1.0)
            for k in range(shape[2 + axis]):
                found[region, axis, k] = samples(
                    begin, size, (k, shape[2 + axis]), given["sampling_ratio"], x.shape[2 + axis]
                )
    pool = maximum if given["mode"] == "max" else mean
    items = [
        rounded(pool(x, (numbers[r], channel), found[r, 0, i], found[r, 1, j]), x.type)
        for r, channel, i, j in indices(shape)
    ]
    return {"Y": Value(x.type, shape, tuple(items))}


def check(images: int, numbers: tuple[int, ...], rois: Value, scale: float) -> None:
    for index, number in enumerate(numbers):
        if not 0 <= number < images:
            raise RefusedContents(index, f"expected 0{f' to {images - 1}' if images > 1 else ''}")
    for index, number in enumerate(rois.items):
        if not abs(number * scale) <= 2**30:
            raise RefusedContents(index, "expected -2^30 to 2^30")


def samples(start: float, size: float, index: tuple[int, int], ratio: int, pixels: int) -> Samples:
    """The samples of one bin of so many; of many, only those near the image are visited."""
    number, bins = index
    step = size / bins
    begin = start + number * step
    grid = ratio or math.ceil(step)
    visited = range(grid)
    if grid > 10**6:
        first, last = (
            math.floor((edge - Fraction(begin)) / Fraction(step) * grid) for edge in (-1, pixels)
        )
        visited = range(max(first - 9, 0), min(last + 9, grid))
    found = Samples(set(), {}, max(grid, 0), len(visited) < grid)
    outside = found.outside
    for sample in visited:
        number_of_all = Fraction(2 * (number * grid + sample) + 1, 2 * bins * grid)
        position = float(Fraction(start) + Fraction(size) * number_of_all)
        if not -1 <= position <= pixels or pixels == 0:
            outside = True
            continue
        inside = Fraction(min(max(position, 0.0), pixels - 1.0))
        below = math.floor(inside)
        above = min(below + 1, pixels - 1)
        for pixel, weight in ((below, below + 1 - inside), (above, inside - below)):
            found.weights.add((pixel, weight))
            found.total[pixel] = found.total.get(pixel, Fraction(0)) + weight
    return found._replace(outside=outside)


def mean(x: Value, image: tuple[int, int], down: Samples, along: Samples) -> float | Fraction:
    """The mean of the samples' sums. What has no weight is not looked at."""
    if not down.count * along.count:
        return 0.0
    parts = [
        (weight * other, x.items[ravel((*image, row, column), x.shape)])
        for row, weight in down.total.items()
        for column, other in along.total.items()
        if weight * other
    ]
    if all(math.isfinite(pixel) for _, pixel in parts):
        count = down.count * along.count
        return sum((w * Fraction(p) for w, p in parts), Fraction(0)) / count
    return sum(pixel for _, pixel in parts if not math.isfinite(pixel))


def maximum(x: Value, image: tuple[int, int], down: Samples, along: Samples) -> float | Fraction:
    """The largest product of a pixel and its weight; 0 for samples outside; NaN wins."""
    products: list[float | Fraction] = []
    if not down.count * along.count or down.outside or along.outside:
        products.append(Fraction(0))
    for row, weight in down.weights:
        for column, other in along.weights:
            pixel = x.items[ravel((*image, row, column), x.shape)]
            if not weight * other:
                products.append(Fraction(0))
            elif math.isnan(pixel):
                return math.nan
            else:
                products.append(weight * other * Fraction(pixel) if math.isfinite(pixel) else pixel)
    return max(products)
