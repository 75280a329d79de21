"""Draws how the windows of a pooling lie on its input."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from opmill_gen.figures.svg import Arguments
from opmill_gen.figures.windows import LEGEND as LEGEND
from opmill_gen.figures.windows import windows


def figure(inputs: Arguments, attributes: Mapping[str, Any], outputs: Arguments) -> str | None:
    """The picture of a call as SVG; ``None`` where its axes are too long to be drawn."""
    kernel = attributes["kernel_shape"]
    if "x" in inputs:  # its channels are last
        return windows(inputs["x"].shape[1:-1], kernel, outputs["y"].shape[1:-1], attributes)
    X, Y = inputs["X"], outputs["Y"]
    return windows(X.shape[2:], kernel, Y.shape[2:], attributes)
