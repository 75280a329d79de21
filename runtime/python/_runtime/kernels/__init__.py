"""Shared parts of NumPy kernels: conversions, functions, indices, moments, trees."""
