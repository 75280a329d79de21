"""Whole networks beside onnxruntime, exported with torch, with random weights.

``python -m benchmarks.networks export DIR`` needs torch, and ``python -m benchmarks.networks
compare DIR`` onnx and onnxruntime. ``python -m benchmarks run`` does both.
"""
