"""Known facts about ONNX's tests of DFT."""

from __future__ import annotations

ATOL = {"test_dft_inverse": 1e-6, "test_dft_inverse_opset19": 1e-6}
"""Their expected results come from a transform in float, which has 1.9e-7 where the sum is 0."""
