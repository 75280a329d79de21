"""Versions of GlobalLpPool that differ for ONNX's tests."""

from __future__ import annotations

UNTESTED = {1, 2, 22}
"""Versions that no test of ONNX reaches: ONNX has no test of the operator."""
