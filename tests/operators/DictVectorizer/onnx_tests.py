"""ONNX has no test of DictVectorizer."""

UNTESTED = (1,)
