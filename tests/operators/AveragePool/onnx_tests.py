"""Versions of AveragePool that do not differ for ONNX's tests."""

NEUTRAL = ("ceil_mode", "count_include_pad", "dilations")
"""They default to the rounding, the count and the steps that versions before them have."""
