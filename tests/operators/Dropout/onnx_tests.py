"""ONNX's tests of Dropout, in the words of the versions whose ratio is an attribute."""

from __future__ import annotations

RANDOM = {
    "test_training_dropout",
    "test_training_dropout_default",
    "test_training_dropout_default_mask",
    "test_training_dropout_mask",
}
"""Their values are drawn with NumPy's Mersenne Twister, which the text does not name."""
