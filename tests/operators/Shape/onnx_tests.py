"""Versions of Shape that do not differ for ONNX's tests."""

NEUTRAL = ("start", "end")
"""Left out, they ask for all dimensions, as versions before them give."""
