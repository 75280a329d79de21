"""ONNX has no test of Scaler."""

UNTESTED = (1,)
