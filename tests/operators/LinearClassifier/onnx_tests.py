"""ONNX has no test of LinearClassifier."""

UNTESTED = (1,)
