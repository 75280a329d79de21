"""ONNX has no test of SVMClassifier."""

UNTESTED = (1,)
