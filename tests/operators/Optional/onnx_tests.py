"""What ONNX's tests of Optional lack."""

UNTESTED = {15, 28}
"""Versions that no test of ONNX reaches: there are none of the operator."""
