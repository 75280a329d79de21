"""What ONNX's tests of OptionalHasElement lack."""

UNTESTED = {15}
"""Versions that no test of ONNX reaches: from 18 on the input is optional, as the tests have it."""
