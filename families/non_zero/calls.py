"""Calls of NonZero: any tensor will do, and there is nothing else that could be wrong."""

from __future__ import annotations

from opmill_checks.drawing import Call, Draw, dims, rank


def legal(draw: Draw) -> Call:
    """A tensor of any shape."""
    return Call({"X": dims(draw, rank(draw))})
