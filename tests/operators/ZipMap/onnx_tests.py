"""ONNX has no test of ZipMap."""

UNTESTED = (1,)
