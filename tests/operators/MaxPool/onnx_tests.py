"""Versions of MaxPool that do not differ for ONNX's tests."""

NEUTRAL = ("storage_order", "ceil_mode", "dilations")
"""They default to the rows, the rounding and the steps that versions before them have."""
