"""Benchmarks of opmill against NumPy, onnxruntime and torch; run by ``python -m benchmarks``."""
