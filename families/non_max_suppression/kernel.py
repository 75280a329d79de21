"""The NumPy kernel of NonMaxSuppression: box after box, each compared with all that are left."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Boxes = tuple[NDArray[Any], NDArray[Any], NDArray[Any]]


def measure(
    boxes: NDArray[Any],
    scores: NDArray[Any],
    *,
    max_picks: int,
    overlap: float,
    filters: bool,
    lowest: float,
    centered: bool,
) -> tuple[tuple[int, ...], ...]:
    """Count the boxes that are selected."""
    found = _selected(boxes, scores, max_picks, overlap, lowest if filters else None, centered)
    return ((len(found), 3),)


def compute(
    boxes: NDArray[Any],
    scores: NDArray[Any],
    selected_indices: NDArray[Any],
    *,
    max_picks: int,
    overlap: float,
    filters: bool,
    lowest: float,
    centered: bool,
) -> None:
    """Write batch, class and number of each box that is selected."""
    if selected_indices.size:
        found = _selected(boxes, scores, max_picks, overlap, lowest if filters else None, centered)
        selected_indices[...] = found


def _selected(
    boxes: NDArray[Any],
    scores: NDArray[Any],
    max_picks: int,
    overlap: float,
    lowest: float | None,
    centered: bool,
) -> list[tuple[int, int, int]]:
    found: list[tuple[int, int, int]] = []
    if max_picks == 0 or scores.size == 0:
        return found
    with np.errstate(all="ignore"):  # infinities and NaNs are legal
        for batch in range(scores.shape[0]):
            ranges = _ranges(boxes[batch], centered)
            for number, row in enumerate(scores[batch]):
                order = np.argsort(-row, kind="stable")  # NaN is last
                if lowest is not None:
                    order = order[row[order] >= np.float32(lowest)]
                found += [
                    (batch, number, box) for box in _greedy(ranges, order, max_picks, overlap)
                ]
    return found


def _ranges(boxes: NDArray[Any], centered: bool) -> Boxes:
    """The lower and upper corner of each box, and its area: NaN where it overlaps none."""
    if centered:
        half = boxes[:, 2:] / np.float32(2)
        low, high = boxes[:, :2] - half, boxes[:, :2] + half
    else:
        low = np.minimum(boxes[:, :2], boxes[:, 2:])
        high = np.maximum(boxes[:, :2], boxes[:, 2:])
    sides = high - low
    area = sides[:, 0] * sides[:, 1]
    usable = (sides > 0).all(axis=1) & (area > 0) & (area < np.inf)
    return low, high, np.where(usable, area, np.float32(np.nan))


def _greedy(ranges: Boxes, order: NDArray[Any], max_picks: int, overlap: float) -> list[int]:
    low, high, area = ranges
    found: list[int] = []
    while order.size and len(found) < max_picks:
        best, order = order[0], order[1:]
        found.append(int(best))
        sides = np.minimum(high[best], high[order]) - np.maximum(low[best], low[order])
        shared = np.maximum(sides[:, 0], 0) * np.maximum(sides[:, 1], 0)
        united = area[best] + area[order] - shared
        order = order[~(shared / united > np.float32(overlap))]
    return found
