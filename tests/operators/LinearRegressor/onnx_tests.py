"""ONNX has no test of LinearRegressor."""

UNTESTED = (1,)
