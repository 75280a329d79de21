"""ONNX has no test of CastMap."""

UNTESTED = (1,)
