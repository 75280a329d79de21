"""ONNX has no test of Normalizer."""

UNTESTED = (1,)
