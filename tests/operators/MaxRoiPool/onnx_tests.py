"""ONNX has no test of MaxRoiPool."""

from __future__ import annotations

UNTESTED = {1, 22}
"""Versions that no test of ONNX reaches."""
