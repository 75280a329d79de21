"""Facts needed to run ONNX's tests of GRU at every version."""

from __future__ import annotations

NEUTRAL = ("layout", "linear_before_reset", "output_sequence")
"""Where they are left out, steps come first and the reset gate is applied before R."""
UNTESTED = {1}
"""Its default of ``direction`` is spelt ``foward``: no call of a later version is the same."""
