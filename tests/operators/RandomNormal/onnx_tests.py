"""Facts that ONNX's tests of RandomNormal lack."""

UNTESTED = {1, 22}
"""Versions that no test of ONNX reaches: there are none of the operator."""
