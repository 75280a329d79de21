"""Facts that ONNX's tests of Multinomial lack."""

UNTESTED = {7, 22}
"""Versions that no test of ONNX reaches: there are none of the operator."""
