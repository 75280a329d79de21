"""ONNX has no test of Imputer."""

UNTESTED = (1,)
