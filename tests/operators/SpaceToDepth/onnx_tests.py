"""Versions of SpaceToDepth that differ for ONNX's tests."""

from __future__ import annotations

UNTESTED = {1, 13}
"""Versions that no test of ONNX reaches: those of others have another signature, and are not
rewritten."""
