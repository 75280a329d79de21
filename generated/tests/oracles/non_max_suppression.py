"""Slow reference of NonMaxSuppression: every box is compared with every one selected before."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from opmill_checks.rounding import rounded
from opmill_checks.value import Value

Box = Sequence[float]


def single(number: float) -> float:
    return rounded(number, "float")


def oracle(inputs: Mapping[str, Value | None], attributes: Mapping[str, Any]) -> dict[str, Value]:
    boxes, scores = inputs["boxes"], inputs["scores"]
    assert boxes is not None
    assert scores is not None
    limit, overlap, lowest = (
        value.items[0] if (value := inputs.get(name)) is not None else None
        for name in ("max_output_boxes_per_class", "iou_threshold", "score_threshold")
    )
    batches, classes, count = scores.shape
    items: list[int] = []
    rows = 0
    for batch in range(batches if limit is not None and limit > 0 and count else 0):
        sides = [
            corners(boxes.items[4 * k : 4 * k + 4], attributes.get("center_point_box", 0))
            for k in range(batch * count, (batch + 1) * count)
        ]
        for number in range(classes):
            first = (batch * classes + number) * count
            score = scores.items[first : first + count]
            taken: list[int] = []
            for box in sorted(range(count), key=lambda k, s=score: (s[k] != s[k], order(s[k]), k)):
                if lowest is not None and not score[box] >= lowest:
                    continue
                if len(taken) == limit:
                    break
                if not any(shared(sides[box], sides[k]) > (overlap or 0.0) for k in taken):
                    taken.append(box)
            rows += len(taken)
            for box in taken:
                items += [batch, number, box]
    return {"selected_indices": Value("int64", (rows, 3), tuple(items))}


def order(score: float) -> float:
    return 0.0 if score != score else -score


def corners(box: Box, centered: int) -> list[tuple[float, float]]:
    """From where to where the box reaches along each axis."""
    if not centered:
        return [tuple(sorted((box[axis], box[axis + 2]))) for axis in range(2)]  # type: ignore[misc]
    return [
        (single(box[k] - single(box[k + 2] / 2)), single(box[k] + single(box[k + 2] / 2)))
        for k in range(2)
    ]


def area(box: Sequence[tuple[float, float]]) -> float:
    """The area of a box; NaN where that is no positive number."""
    if not all(math.isfinite(end) for side in box for end in side):
        return math.nan
    width, height = (single(end - begin) for begin, end in box)
    if width <= 0 or height <= 0:
        return math.nan
    product = single(width * height)
    return product if 0 < product < math.inf else math.nan


def shared(a: Sequence[tuple[float, float]], b: Sequence[tuple[float, float]]) -> float:
    """The share of two boxes' area that both have: intersection over union."""
    common = [(max(x[0], y[0]), min(x[1], y[1])) for x, y in zip(a, b, strict=True)]
    if any(begin >= end for begin, end in common):
        return 0.0
    sizes = area(a), area(b)
    if any(size != size for size in sizes):
        return 0.0
    both = area(common)
    if both != both:
        return 0.0
    return single(both / single(single(sizes[0] + sizes[1]) - both))
