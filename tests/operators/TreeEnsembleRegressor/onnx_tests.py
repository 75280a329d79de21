"""ONNX has no test of TreeEnsembleRegressor."""

UNTESTED = (1, 3, 5)
