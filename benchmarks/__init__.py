"""What opmill costs beside NumPy, onnxruntime and torch; ``python -m benchmarks`` measures it."""
