"""Versions of DequantizeLinear that differ for ONNX's tests."""

from __future__ import annotations

UNTESTED = {10, 13, 19, 21}
"""Versions that no test of ONNX reaches: those of others have another signature, and are not
rewritten."""
