"""Why ONNX's tests of Constant do not count for it."""

UNTESTED = (1, 9, 11, 12, 13, 19, 21, 23, 24, 25)
"""The backend makes constants as it reads a model; no operator runs."""
