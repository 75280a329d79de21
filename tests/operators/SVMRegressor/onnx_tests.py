"""ONNX has no test of SVMRegressor."""

UNTESTED = (1,)
