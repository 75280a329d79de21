"""What NumPy kernels of several families call: conversions, functions, indices, moments, trees."""
