"""ONNX has no test of CategoryMapper."""

UNTESTED = (1,)
