"""Draws which element of the input each element of the output repeats."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from opmill_gen.figures.moved import LEGEND as LEGEND
from opmill_gen.figures.moved import Index, Origin, Output, moved, position
from opmill_gen.figures.svg import Arguments


def figure(inputs: Arguments, attributes: Mapping[str, Any], outputs: Arguments) -> str | None:
    """The picture of a call as SVG; ``None`` where its tensors are too large to be drawn."""
    X, Y = inputs["input"], outputs["output"]

    def origin(index: Index) -> Origin:
        own = index[len(index) - len(X.shape) :]
        return "input", tuple(0 if dim == 1 else i for i, dim in zip(own, X.shape, strict=True))

    def tint(name: str, index: Index) -> int:
        return position(index, X.shape)

    return moved({"input": X}, [Output("output", Y.shape, origin)], tint)
