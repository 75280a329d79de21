"""Calls of MaxPool: those of any pooling."""

from __future__ import annotations

from opmill_checks import pools
from opmill_checks.drawing import Call, Draw, Illegal


def legal(draw: Draw, *, attributes: pools.Names) -> Call:
    """Padding given by pads or by auto_pad."""
    return pools.legal(draw, attributes)


def illegal(draw: Draw, *, attributes: pools.Names) -> Illegal:
    """A legal call with one thing wrong."""
    return pools.illegal(draw, attributes)
