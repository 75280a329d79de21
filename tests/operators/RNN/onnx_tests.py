"""Facts needed to run ONNX's tests of RNN at every version."""

from __future__ import annotations

NEUTRAL = ("layout", "output_sequence")
"""Where they are left out, steps come first and outputs are those that are asked for."""
