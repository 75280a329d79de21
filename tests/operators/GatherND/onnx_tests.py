"""Versions of GatherND that do not differ for ONNX's tests."""

NEUTRAL = ("batch_dims",)
"""Version 11 lacks it; left out, there are no batches, as there."""
