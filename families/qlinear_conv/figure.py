"""Draws how the windows of a convolution lie on its input."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from opmill_gen.figures.svg import Arguments
from opmill_gen.figures.windows import LEGEND as LEGEND
from opmill_gen.figures.windows import windows


def figure(inputs: Arguments, attributes: Mapping[str, Any], outputs: Arguments) -> str | None:
    """The picture of a call as SVG; ``None`` where its axes are too long to be drawn."""
    x, w, y = inputs["x"], inputs["w"], outputs["y"]
    spatial = slice(1, -1) if attributes.get("channels_last") else slice(2, None)
    return windows(x.shape[spatial], w.shape[2:], y.shape[spatial], attributes)
