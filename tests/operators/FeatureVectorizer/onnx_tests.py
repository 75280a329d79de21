"""ONNX has no test of FeatureVectorizer."""

UNTESTED = (1,)
