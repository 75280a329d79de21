"""Draws where the elements of a tensor go, by the positions of its first long axis."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from opmill_gen.figures.moved import LEGEND as LEGEND
from opmill_gen.figures.moved import Index, Origin, Output, first_long_axis, moved
from opmill_gen.figures.svg import Arguments


def figure(inputs: Arguments, attributes: Mapping[str, Any], outputs: Arguments) -> str | None:
    """The picture of a call as SVG; ``None`` where its tensors are too large to be drawn."""
    X, Y = inputs["data"], outputs["transposed"]
    perm = attributes.get("perm", range(len(X.shape))[::-1])
    axis = first_long_axis(X.shape)
    if axis is None:
        return None

    def origin(index: Index) -> Origin:
        positions = dict(zip(perm, index, strict=True))
        return "data", tuple(positions[k] for k in range(len(X.shape)))

    return moved(
        {"data": X}, [Output("transposed", Y.shape, origin)], lambda name, index: index[axis]
    )
