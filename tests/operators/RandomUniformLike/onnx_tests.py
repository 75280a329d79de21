"""ONNX's tests of RandomUniformLike: functions of Bernoulli, whose values are random."""

RANDOM = {
    "test_bernoulli_double_expanded",
    "test_bernoulli_expanded",
    "test_bernoulli_seed_expanded",
}
"""Their values are drawn with NumPy's Mersenne Twister, which the text does not name."""
