"""Versions of ArgMin that do not differ for ONNX's tests."""

NEUTRAL = ("select_last_index",)
"""It defaults to the first of equal elements, which versions before it select."""
