"""Draws an input and its copies, by the columns of the input."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from opmill_gen.figures.moved import LEGEND as LEGEND
from opmill_gen.figures.moved import Index, Origin, Output, moved
from opmill_gen.figures.svg import Arguments


def figure(inputs: Arguments, attributes: Mapping[str, Any], outputs: Arguments) -> str | None:
    """The picture of a call as SVG; ``None`` where its tensors are too large to be drawn."""
    X, Y = inputs["input"], outputs["output"]

    def origin(index: Index) -> Origin:
        return "input", tuple(i % dim for i, dim in zip(index, X.shape, strict=True))

    def tint(name: str, index: Index) -> int:
        return index[-1] if index else 0

    return moved({"input": X}, [Output("output", Y.shape, origin)], tint)
