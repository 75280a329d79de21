"""ONNX tests LabelEncoder at version 4 alone."""

UNTESTED = (1, 2)
