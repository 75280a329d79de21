"""Versions of LpPool that do not differ for ONNX's tests."""

NEUTRAL = ("ceil_mode", "dilations")
"""They default to the rounding and the steps that versions before them have."""

UNTESTED = {1}
"""Versions that no test of ONNX reaches: those of others have another signature, and are not
rewritten."""
