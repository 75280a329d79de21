"""Draws which slices the indices choose, each in a colour."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from opmill_gen.figures.moved import LEGEND as LEGEND
from opmill_gen.figures.moved import Index, Origin, Output, moved, position
from opmill_gen.figures.svg import Arguments


def figure(inputs: Arguments, attributes: Mapping[str, Any], outputs: Arguments) -> str | None:
    """The picture of a call as SVG; ``None`` where its tensors are too large to be drawn."""
    X, indices, Y = inputs["data"], inputs["indices"], outputs["output"]
    numbers = indices.integers
    if numbers is None:
        return None
    if "axis" in attributes:
        return _one_axis(X, indices, Y, numbers, attributes["axis"] % len(X.shape))
    return _tuples(X, indices, Y, numbers, attributes.get("batch_dims", 0))


def _one_axis(X: Any, indices: Any, Y: Any, numbers: list[int], axis: int) -> str | None:
    """The indices choose positions of one axis."""
    rank = len(indices.shape)

    def chosen(index: Index) -> int:
        return numbers[position(index, indices.shape)] % X.shape[axis]

    def origin(index: Index) -> Origin:
        return "data", (*index[:axis], chosen(index[axis : axis + rank]), *index[axis + rank :])

    return moved(
        {"data": X},
        [Output("output", Y.shape, origin)],
        lambda name, index: index[axis],
        {"indices": (indices, chosen)},
    )


def _tuples(X: Any, indices: Any, Y: Any, numbers: list[int], batch: int) -> str | None:
    """Each row of the indices chooses positions of several axes, after those of the batch."""
    length, rank = indices.shape[-1], len(indices.shape) - 1
    dims = X.shape[batch : batch + length]

    def chosen(row: Index) -> Index:
        begin = position(row, indices.shape[:-1]) * length
        given = numbers[begin : begin + length]
        return (*row[:batch], *(i % dim for i, dim in zip(given, dims, strict=True)))

    def origin(index: Index) -> Origin:
        return "data", (*chosen(index[:rank]), *index[rank:])

    def tint(index: Index) -> int:
        return position(index[: batch + length], X.shape[: batch + length])

    return moved(
        {"data": X},
        [Output("output", Y.shape, origin)],
        lambda name, index: tint(index),
        {"indices": (indices, lambda index: tint(chosen(index[:-1])))},
    )
