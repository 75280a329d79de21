"""ONNX has no test of TreeEnsembleClassifier."""

UNTESTED = (1, 3, 5)
