"""ONNX has no test of OneHotEncoder."""

UNTESTED = (1,)
