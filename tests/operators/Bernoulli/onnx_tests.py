"""ONNX's tests of Bernoulli, whose expected values are random."""

RANDOM = {
    "test_bernoulli",
    "test_bernoulli_double",
    "test_bernoulli_double_expanded",
    "test_bernoulli_expanded",
    "test_bernoulli_seed",
    "test_bernoulli_seed_expanded",
}
"""Their values are drawn with NumPy's Mersenne Twister, which the text does not name."""
